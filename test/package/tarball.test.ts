import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { projectCopy } from './project-copy.ts';
import { outside, shell, succeeds } from './shell.ts';

const maxMegabytes = 60;

const repository = fileURLToPath(new URL('../..', import.meta.url));
const folder = inject('empty');
const installed = join(folder, 'node_modules/stream-denormalizer');
const paths = () =>
  globSync('**', { cwd: installed, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        !join(entry.parentPath, entry.name).includes('node_modules/stream-denormalizer/node_modules/'),
    )
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
const read = (path: string) => readFileSync(join(installed, path), 'utf8');

const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
  exports: z.record(z.string(), z.object({ types: z.string(), default: z.string() })),
  bin: z.record(z.string(), z.string()),
});

describe('the packed package', () => {
  test(`takes at most ${maxMegabytes} MB with all that it needs`, async () => {
    const [megabytes] = (await succeeds('du -sm --exclude=.cache node_modules', folder)).split('\t');

    expect(Number(megabytes)).toBeLessThanOrEqual(maxMegabytes);
  });

  test.each(['publint run --strict', 'attw --profile esm-only'])('%s finds nothing wrong', async (linter) => {
    await succeeds(`node_modules/.bin/${linter} '${inject('tarball')}'`, repository);
  });

  test('contains compiled code, pages and what `init` copies, and nothing else', () => {
    const expected =
      /^((dist\/.*\.(js|mjs)|dist\/(index|deploy\/cdk\/denormalizer|(testing|model|plan|read|worker)\/.*)\.d\.ts|dist\/page\/client\/(index\.html|page\.css)|bin\/(denorm|run-node)\.mjs|docs\/[\w-]+\.(md|json)|(README|CHANGELOG|CONTRIBUTING)\.md|LICENSE|package\.json)|(denorm\.config\.ts|samconfig\.toml|test\/rules\/(chat|incidents|shop|votes)\.test\.ts|(src\/rules|handlers)\/[\w-]+\.ts|init\/.*))$/;
    const all = paths();

    expect(all.filter((path) => !expected.test(path))).toEqual([]);
    expect(all).toEqual(
      expect.arrayContaining(['dist/cli/main.js', 'dist/dev/server-watchdog.mjs', 'LICENSE']),
    );
    expect(all.filter((path) => /^dist\/(rules|table|testing\/.*\.test)/.test(path))).toEqual([]);
  });

  test('has each entry point, with types', () => {
    const { exports } = manifestSchema.parse(JSON.parse(read('package.json')));

    expect(Object.keys(exports)).toEqual(
      expect.arrayContaining(['.', './cdk', './lambda', './read', './testing']),
    );
    for (const entry of Object.values(exports)) {
      expect(existsSync(join(installed, entry.types)), entry.types).toBe(true);
      expect(existsSync(join(installed, entry.default)), entry.default).toBe(true);
    }
  });

  test('depends on what its code and its types import, and on nothing else', () => {
    const { dependencies, peerDependencies } = manifestSchema.parse(JSON.parse(read('package.json')));
    const imported = new Set(
      paths()
        .filter((path) => /^dist\/.*\.(js|mjs|d\.ts)$/.test(path))
        .flatMap((path) => [
          ...read(path).matchAll(
            /^\s*(?:import|export)\b[^'"`;]*?from\s+['"]([^'".][^'"]*)['"]|\bimport\(\s*['"]([^'".][^'"]*)['"]/gm,
          ),
        ])
        .map(([, named, loaded]) => (named ?? loaded ?? '').match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? '')
        .filter((name) => !isBuiltin(name) && name !== 'stream-denormalizer')
        .map((name) => (name === 'aws-lambda' ? '@types/aws-lambda' : name)),
    );

    expect([...imported].toSorted()).toEqual(
      Object.keys({ ...dependencies, ...peerDependencies }).toSorted(),
    );
  });

  test.each([
    [
      'define rules',
      '',
      ['defineConfig', 'defineKind', 'defineRule'],
      ['big.js', 'stream-denormalizer', 'zod'],
      'model/',
    ],
    ['read merged pages', '/read', ['mergedPages'], ['stream-denormalizer'], '(read|model)/'],
  ])('loads no SDK for those who %s', async (_, entry, names, loads, parts) => {
    writeFileSync(
      join(folder, 'loaded.mjs'),
      `import { registerHooks } from 'node:module';
       const loaded = [];
       registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
       const { ${names.join()} } = await import('stream-denormalizer${entry}');
       console.log(JSON.stringify({ types: [${names.join()}].map((one) => typeof one), loaded }));`,
    );
    const { types, loaded } = z
      .object({ types: z.array(z.string()), loaded: z.array(z.string()) })
      .parse(JSON.parse(await succeeds('node loaded.mjs', folder)));
    const own = loaded.filter((url) => url.includes('/stream-denormalizer/'));
    const packages = loaded.flatMap((url) =>
      [...url.matchAll(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(([, name]) => name),
    );

    expect(types).toEqual(names.map(() => 'function'));
    expect([...new Set(packages)].toSorted()).toEqual(loads);
    expect(
      own
        .map((url) => url.replace(/.*\/dist\//, ''))
        .filter((path) => !new RegExp(`^(index\\.js$|${parts})`).test(path)),
    ).toEqual([]);
  });

  test('runs as `denorm` and under its own name', async () => {
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));

    expect(await succeeds('npx denorm --version', folder)).toBe(`${version}\n`);
    expect(await succeeds('npx stream-denormalizer --version', folder)).toBe(`${version}\n`);
  });

  test('says which package to install for the metrics of `denorm watch`', async () => {
    const connection = join(installed, 'dist/operate/adapters/connection.js');
    const script = `import { connect } from '${connection}';
      try { connect({}).cloudWatch; } catch ({ message }) { console.log(message); }`;
    writeFileSync(join(folder, 'metrics.mjs'), script);

    expect(await succeeds('node metrics.mjs', folder)).toBe(
      'Expected package @aws-sdk/client-cloudwatch, found none: run `npm i -D @aws-sdk/client-cloudwatch`\n',
    );
  });
});

describe('another Node', () => {
  test('runs a project from 22.18 on', async () => {
    const { folder, remove } = outside();
    onTestFinished(remove);
    const name = `node-${process.platform}-${process.arch}`;
    await succeeds(`npm i --prefer-offline ${name}@22.18`, folder);
    const PATH = [join(folder, 'node_modules', name, 'bin'), process.env['PATH']].join(delimiter);
    const blog = await projectCopy(inject('blog'));
    const run = (command: string) => shell(command, blog, { PATH });

    expect(await run('node --version')).toMatchObject({ stdout: 'v22.18.0\n' });
    expect(await run('npm test')).toMatchObject({ code: 0 });
    expect(await run('npm run -s check')).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^checked .+: 0 findings\n$/),
      stderr: '',
    });
    expect(await run('npx denorm simulate --seeds 3')).toMatchObject({ code: 0, stderr: '' });
  });

  test('is refused if it strips no types', async () => {
    const stripsNone = { NODE_OPTIONS: '--no-experimental-strip-types' };

    expect(await shell('npx denorm --version', folder, stripsNone)).toEqual({
      code: 2,
      stdout: '',
      stderr: `Expected a Node that strips the types of a project's TypeScript (22.18 or newer), got ${process.versions.node}: install Node 24 from https://nodejs.org.\n`,
    });
  });
});
