import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const parts = ['src', 'handlers', 'test', 'bin'];

interface SourceFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Where a file belongs, and which other places it may import from, itself included. */
const layers: Readonly<Record<string, readonly string[]>> = {
  'src/model': ['src/model'],
  'src/propagation/plan': ['src/propagation/plan', 'src/model'],
  'src/propagation': ['src/propagation', 'src/propagation/plan', 'src/model'],
  'src/adapters': ['src/adapters', 'src/propagation', 'src/propagation/plan', 'src/model'],
  // Composes the engines that handlers run.
  'src/adapters/lambda': [
    'src/adapters',
    'src/propagation',
    'src/model',
    'src/rules',
    'src/config',
    'src/telemetry',
  ],
  'src/dev': ['src/dev', 'src/adapters', 'src/propagation', 'src/propagation/plan', 'src/model'],
  'src/rules': ['src/rules', 'src/model', 'src/table'],
  'src/cli': ['src'],
  handlers: ['handlers', 'src'],
  'src/table': ['src/model'],
  'src/config': ['src/model'],
  'src/telemetry': ['src/propagation', 'src/model'],
};

/** Which packages may be imported where, besides those of Node. */
const packages: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^@aws-sdk\//, ['src/adapters', 'src/adapters/lambda', 'src/dev']],
  [/^@aws-lambda-powertools\//, ['src/adapters', 'src/adapters/lambda', 'src/telemetry', 'handlers']],
];

const files = readAll();
const sources = files.filter(({ path }) => /^(src|handlers)\//.test(path));

describe('the tree', () => {
  test('is seen by these tests', () => {
    const folders = new Set(sources.map(({ path }) => layerOf(path)));

    for (const layer of Object.keys(layers)) expect(folders).toContain(layer);
    expect(sources.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  test('has every source in a layer', () => {
    expect(sources.filter(({ path }) => layerOf(path) === undefined).map(({ path }) => path)).toEqual([]);
  });

  test('imports one way: handlers, cli -> adapters, local -> execution -> planning -> domain; rules -> domain', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target !== undefined && !mayImport(file.path, target))
        .map(({ target }) => `${file.path} imports ${target}`),
    );

    expect(wrong).toEqual([]);
  });

  test('imports nothing that is not there', () => {
    const missing = sources.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target !== undefined && !existsSync(resolve(repository, target)))
        .map(({ target }) => `${file.path} imports ${target}`),
    );

    expect(missing).toEqual([]);
  });

  test('keeps SDKs in the folders that speak to services', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) =>
          packages.some(
            ([name, places]) => name.test(specifier) && !places.includes(layerOf(file.path) ?? ''),
          ),
        )
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    );

    expect(wrong).toEqual([]);
  });

  test('reads the environment in config.ts only', () => {
    const readers = sources.filter(({ text }) =>
      /process\s*\.\s*env\b|process\[|\benv\b[^;\n]*from 'node:process'/.test(text),
    );

    expect(readers.map(({ path }) => path)).toEqual(['src/config.ts']);
  });

  test('ends its own imports in .ts, or .mjs', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => /^\.{1,2}\//.test(specifier) && !/\.(ts|mjs|json)$/.test(specifier))
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    );

    expect(wrong).toEqual([]);
  });
});

describe('names', () => {
  test('say what a file or a folder is', () => {
    const empty = /^(utils?|helpers?|commons?|managers?|info|misc|shared|lib)$/;
    const wrong = files.filter(({ path }) =>
      path
        .replace(/\.[\w.]+$/, '')
        .split('/')
        .flatMap((name) => name.split('-'))
        .some((word) => empty.test(word)),
    );

    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test('are kebab-case', () => {
    const wrong = files.filter(
      ({ path }) => !path.split('/').every((name) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(name)),
    );

    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test('of barrels there are none but that of the rules', () => {
    expect(sources.filter(({ path }) => path.endsWith('/index.ts')).map(({ path }) => path)).toEqual([
      'src/rules/index.ts',
    ]);
    expect(sources.filter(({ text }) => /^export \* /m.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('sizes', () => {
  test.each([
    ['a source file', 250, /^(src|handlers)\//],
    ['a rule', 40, /^src\/rules\/(?!index\.ts|\w+-items\.ts)/],
    ['a handler', 30, /^handlers\//],
  ])('%s has at most %i lines', (_, most, place) => {
    const chosen = sources.filter(({ path }) => place.test(path));

    expect(chosen.length).toBeGreaterThan(0);
    expect(
      chosen.filter(({ text }) => linesOf(text) > most).map(({ path, text }) => `${path}: ${linesOf(text)}`),
    ).toEqual([]);
  });
});

describe('text', () => {
  // Written apart, so that this file does not find itself.
  test.each([
    ['what is left to do', new RegExp(['TO', 'DO|FIX', 'ME|XX', 'X\\b'].join(''))],
    ['a way around the types', /@ts-(ignore|nocheck)|biome-ignore lint\/suspicious\/noExplicitAny/],
    ['a test that is not run, or runs alone', /\b(test|describe|it)\.(only|skip|todo)\(/],
    ['a name that minifying changes', /constructor\.name/],
  ])('does not hold %s', (_, pattern) => {
    const found = files.filter(({ path }) => !ownTests.has(path)).filter(({ text }) => pattern.test(text));

    expect(found.map(({ path }) => path)).toEqual([]);
  });

  test('of a log line or a metric is written in one place', () => {
    expect(sources.filter(({ text }) => /new (Logger|Metrics)\(/.test(text)).map(({ path }) => path)).toEqual(
      ['src/lambda/telemetry.ts'],
    );
  });
});

/** Tests that speak of what they look for. */
const ownTests = new Set(['test/architecture.test.ts', 'test/toolchain.test.ts']);

function readAll(): SourceFile[] {
  return parts
    .flatMap((part) => readdirSync(resolve(repository, part), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => resolve(entry.parentPath, entry.name))
    .map((path) => ({
      path: relative(repository, path).split(sep).join('/'),
      text: readFileSync(path, 'utf8'),
    }));
}

/** The most particular layer that holds this file. */
function layerOf(path: string): string | undefined {
  return Object.keys(layers)
    .filter((layer) => path.startsWith(`${layer}/`) || path === `${layer}.ts`)
    .sort((a, b) => b.length - a.length)[0];
}

function mayImport(from: string, target: string): boolean {
  const allowed = layers[layerOf(from) ?? ''] ?? [];
  return allowed.some((layer) => target.startsWith(`${layer}/`) || target === `${layer}.ts`);
}

/** What a file imports, types included: the specifier, and the file of this repository that it means. */
function importsOf({
  path,
  text,
}: SourceFile): { readonly specifier: string; readonly target: string | undefined }[] {
  const specifiers = [
    ...text.matchAll(/^\s*(?:import|export)\b[^'"`;]*?from\s+['"]([^'"]+)['"]/gm),
    ...text.matchAll(/^\s*import\s+['"]([^'"]+)['"]/gm),
    ...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g),
  ].map(([, specifier = '']) => specifier);
  return specifiers.map((specifier) => ({
    specifier,
    target: specifier.startsWith('.')
      ? relative(repository, resolve(repository, dirname(path), specifier))
          .split(sep)
          .join('/')
      : undefined,
  }));
}

function linesOf(text: string): number {
  return text.trimEnd().split('\n').length;
}
