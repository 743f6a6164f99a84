import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import config from '../../denorm.config.ts';
import { buildStack } from '../../scripts/build-stack.ts';
import { type Bundle, bundles } from '../../scripts/bundles.ts';
import { projectFolder, pythonTool } from '../../scripts/python-tools.ts';
import { configStack } from '../../src/deploy/stack-template.ts';
import { zippedFunctions } from '../../src/deploy/terraform/zipped-functions.ts';
import { type FunctionName, functionNames, serviceOf } from '../../src/model/work/settings.ts';
import { newFolder } from '../suites/new-folder.ts';
import { expandedTemplate } from './expanded-template.ts';

let built: ReadonlyMap<string, Bundle>;
beforeAll(async () => {
  await buildStack();
  built = new Map((await bundles()).map((bundle) => [bundle.id, bundle]));
});

const bundle = (id: string) => built.get(id) ?? expect.fail(`${id} was not built`);
const fileOf = (id: FunctionName) => join(projectFolder, '.aws-sam/build', id, `${serviceOf(id)}.mjs`);
const packagesOf = (id: string) => bundle(id).parts.map(([name]) => name);

/** Packages that the command line and the local dev environment use, and no function does. */
const notDeployed = [
  ...['@aws-sdk/client-dynamodb-streams', '@aws-sdk/lib-dynamodb', '@aws-sdk/util-dynamodb'],
  ...['commander', 'cli-table3', 'yaml', 'vitest', 'fast-check'],
];

it('what is deployed is what template.yaml says', async () => {
  const [built, own] = await Promise.all(
    ['.aws-sam/build/template.yaml', 'template.yaml'].map((path) =>
      expandedTemplate(join(projectFolder, path)),
    ),
  );
  expect(built?.()).toEqual(own?.());
});

it('the code in a module of Terraform is what `sam build` makes', () => {
  const folder = newFolder();
  for (const [file, zip] of zippedFunctions(configStack(config), join(projectFolder, 'handlers'))) {
    writeFileSync(join(folder, file), zip);
    const unzipped = spawnSync(pythonTool('sam', 'python'), ['-m', 'zipfile', '-e', file, '.'], {
      cwd: folder,
    });
    expect(unzipped.status, file).toBe(0);
  }
  for (const id of functionNames)
    expect(readFileSync(join(folder, basename(fileOf(id)))).equals(readFileSync(fileOf(id))), id).toBe(true);
});

describe.each(functionNames)('the bundle of %s', (id) => {
  it('contains nothing that only the command line or the tests use', () => {
    expect(packagesOf(id).filter((name) => notDeployed.includes(name))).toEqual([]);
  });

  it('contains only one of the fifty languages of zod', () => {
    const [, bytes = 0] = bundle(id).parts.find(([name]) => name === 'zod') ?? [];
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(200_000);
  });

  it('contains no source of credentials but those of Lambda', () => {
    expect(
      packagesOf(id)
        .filter((name) => name.includes('/credential-provider-'))
        .toSorted(),
    ).toEqual(['@aws-sdk/credential-provider-env', '@aws-sdk/credential-provider-node']);
  });
});

it.each(['Propagate', 'FanOut', 'Verify'] as const)(
  '%s imports no part of itself on demand, for which each module would be compiled twice',
  (id) => {
    expect(readFileSync(fileOf(id), 'utf8')).not.toMatch(/Promise\.resolve\(\)\.then\(\(\)=>\([\w$]+\(\),/);
  },
);

it.each([
  ['Propagate', 435_000],
  ['FanOut', 434_000],
  ['Verify', 421_000],
  ['Archive', 571_000],
  ['Sweep', 570_000],
  ['Heartbeat', 323_000],
])('the bundle of %s is small enough to start quickly: less than %i bytes', (id, most) => {
  expect(bundle(id).bytes).toBeLessThan(most);
});

describe('what archives and what does not', () => {
  const archiving = (id: string) =>
    [...packagesOf(id), ...bundle(id).sources].filter((part) =>
      /client-s3|src\/worker\/(archive|adapters\/s3)\//.test(part),
    );

  it.each(['Archive', 'Sweep'])('%s contains the archive and the client of S3', (id) => {
    expect(archiving(id).length).toBeGreaterThan(5);
  });

  it.each(['Propagate', 'FanOut', 'Verify', 'Heartbeat'])('%s contains nothing of either', (id) => {
    expect(archiving(id)).toEqual([]);
  });

  it.each(['Propagate', 'FanOut'])(
    '%s contains the rule engine, and nothing of scans and of the tools',
    (id) => {
      const deployed =
        /^(src\/(model|plan|worker(?!\/(scan|verify)\/)|rules|index\.ts|table\.ts)|handlers\/|denorm\.config)/;

      expect(bundle(id).sources).toContain('src/plan/plan-copy.ts');
      expect(bundle(id).sources.filter((path) => path.startsWith('src/') && !deployed.test(path))).toEqual(
        [],
      );
    },
  );
});
