import { beforeAll, describe, expect, it } from 'vitest';
import { buildStack } from '../../scripts/build-stack.ts';
import { type Bundle, bundles } from '../../scripts/bundles.ts';

let built: ReadonlyMap<string, Bundle>;
beforeAll(async () => {
  await buildStack();
  built = new Map((await bundles()).map((bundle) => [bundle.id, bundle]));
});

const bundle = (id: string) => built.get(id) ?? expect.fail(`${id} was not built`);
const packagesOf = (id: string) => bundle(id).parts.map(([name]) => name);

/** Packages that the command line and the local desk use, and no function does. */
const notDeployed = [
  ...['@aws-sdk/client-dynamodb-streams', '@aws-sdk/lib-dynamodb', '@aws-sdk/util-dynamodb'],
  ...['commander', 'cli-table3', 'yaml', 'vitest', 'fast-check'],
];

describe.each(['Propagate', 'Archive', 'FanOut'])('the bundle of %s', (id) => {
  it('holds nothing that only the command line or the tests use', () => {
    expect(packagesOf(id).filter((name) => notDeployed.includes(name))).toEqual([]);
  });

  it('is made of what it uses', () => {
    expect(packagesOf(id)).toEqual(expect.arrayContaining(['this project', '@aws-sdk/client-dynamodb', 'zod']));
  });

  it('is small enough to start quickly', () => {
    expect(bundle(id).gzipped).toBeLessThan(400_000);
  });
});

it('only the function that archives holds the client of S3', () => {
  expect(packagesOf('Archive')).toContain('@aws-sdk/client-s3');
  for (const id of ['Propagate', 'FanOut']) expect(packagesOf(id)).not.toContain('@aws-sdk/client-s3');
});
