import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import * as z from 'zod';
import { succeeds } from './shell.ts';

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
  optionalDependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
  exports: z.record(z.string(), z.object({ types: z.string(), default: z.string() })),
  bin: z.record(z.string(), z.string()),
});

describe('the packed package', () => {
  test('contains compiled code, pages and what `init` copies, and nothing else', () => {
    const expected =
      /^((dist\/.*\.(js|mjs|d\.ts|d\.mts|map)|dist\/develop\/page\/client\/(index\.html|page\.css)|bin\/(denorm|node-24)\.mjs|docs\/[\w-]+\.md|(README|CHANGELOG|CONTRIBUTING)\.md|LICENSE|package\.json)|(denorm\.config\.ts|samconfig\.toml|test\/rules\/(chat|incidents|shop|votes)\.test\.ts|(src\/rules|handlers)\/[\w-]+\.ts|init\/.*|requirements\/(sam|ministack)\.txt))$/;
    const all = paths();

    expect(all.filter((path) => !expected.test(path))).toEqual([]);
    expect(all).toEqual(
      expect.arrayContaining(['dist/cli/main.js', 'dist/develop/dev/server-watchdog.mjs', 'LICENSE']),
    );
    expect(all.filter((path) => /^dist\/(rules|table|testing\/.*\.test)/.test(path))).toEqual([]);
  });

  test('has each entry point, with types, and sources in its maps', () => {
    const { exports } = manifestSchema.parse(JSON.parse(read('package.json')));

    expect(Object.keys(exports)).toEqual(expect.arrayContaining(['.', './lambda', './read', './testing']));
    for (const entry of Object.values(exports)) {
      expect(existsSync(join(installed, entry.types)), entry.types).toBe(true);
      const map = z
        .object({ sourcesContent: z.array(z.string().min(1)) })
        .parse(JSON.parse(read(`${entry.default}.map`)));
      expect(map.sourcesContent).toHaveLength(1);
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
        .filter((name) => !name.startsWith('node:') && name !== 'stream-denormalizer')
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
      ['stream-denormalizer', 'zod'],
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
    const node = `node '${join(installed, 'bin/node-24.mjs')}'`;
    const { types, loaded } = z
      .object({ types: z.array(z.string()), loaded: z.array(z.string()) })
      .parse(JSON.parse(await succeeds(`${node} loaded.mjs`, folder)));
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
});
