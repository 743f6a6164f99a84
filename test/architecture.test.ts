import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const parts = ['src', 'handlers', 'test', 'bin'];
const ownConfig = 'denorm.config.ts';

interface SourceFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Each folder, and the folders that it may import from, itself included. */
const layers: Readonly<Record<string, readonly string[]>> = {
  'src/model': ['src/model'],
  // What is deployed. Adapters are the ports on the AWS SDK, each defined by the feature that asks for it.
  'src/worker/ports': ['src/model'],
  'src/worker/environment': ['src/model'],
  'src/worker/propagation/plan': ['src/worker/propagation/plan', 'src/model'],
  'src/worker/batch': ['src/worker/batch', 'src/worker/ports', 'src/model'],
  'src/worker/scan': ['src/worker/scan', 'src/worker/ports', 'src/model'],
  'src/worker/propagation': ['src/worker/propagation', 'src/worker/batch', 'src/worker/ports', 'src/model'],
  'src/worker/verify': [
    ...['src/worker/verify', 'src/worker/propagation', 'src/worker/scan', 'src/worker/ports', 'src/model'],
  ],
  'src/worker/archive': [
    ...['src/worker/archive', 'src/worker/propagation/plan', 'src/worker/scan', 'src/worker/batch'],
    ...['src/worker/ports', 'src/model'],
  ],
  'src/worker/adapters': ['src/worker/adapters', 'src/worker/archive', 'src/worker/ports', 'src/model'],
  'src/worker/lambda': ['src/worker', 'src/model'],
  // What an operator uses.
  'src/operate': ['src/operate', 'src/worker', 'src/model'],
  // The stack, which follows from the rules.
  'src/deploy': ['src/deploy', 'src/model'],
  // For CDK, which nothing else needs: so nothing else imports this.
  'src/deploy/cdk': ['src/deploy', 'src/model'],
  // What a developer uses: the worker on a model of the table or on an embedded one.
  'src/develop': ['src/develop', 'src/deploy', 'src/operate', 'src/worker', 'src/model'],
  // What the page and its server exchange, and the page itself, which runs in a browser.
  'src/develop/page/protocol': ['src/develop/page/protocol'],
  'src/develop/page/client': ['src/develop/page/client', 'src/develop/page/protocol'],
  // What applications read with.
  'src/read': ['src/read', 'src/model'],
  'src/cli': ['src'],
  'src/index': ['src/model'],
  // This repository's own project: it imports the entry points, as any project does.
  'src/table': [],
  'src/rules': ['src/rules', 'src/table'],
  handlers: ['denorm.config'],
  'denorm.config': ['src/rules', 'src/table'],
};

/** Packages that only some folders may import. */
const packages: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^@aws-sdk\//, ['src/worker/adapters', 'src/worker/lambda', 'src/operate/adapters', 'src/develop/dev']],
  [/^@aws-lambda-powertools\//, ['src/worker/lambda']],
  [/^(aws-cdk-lib|constructs)(\/|$)/, ['src/deploy/cdk']],
  [/^esbuild$/, ['src/deploy/cdk', 'src/deploy/terraform']],
];

/** The files that a project imports from this one's package. */
const entryPoints = [
  'src/index.ts',
  'src/read/index.ts',
  'src/develop/testing/index.ts',
  'src/worker/lambda/index.ts',
];

const files = readAll();
const sources = files.filter(({ path }) => /^((src|handlers)\/|denorm\.config\.ts$)/.test(path));

describe('the tree', () => {
  test('has a source in every layer', () => {
    const folders = new Set(sources.map(({ path }) => layerOf(path)));

    for (const layer of Object.keys(layers)) expect(folders).toContain(layer);
    expect(sources.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  test('has every source in a layer', () => {
    expect(sources.filter(({ path }) => layerOf(path) === undefined).map(({ path }) => path)).toEqual([]);
  });

  test('imports one way', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target !== undefined && !mayImport(file.path, target))
        .map(({ target }) => `${file.path} imports ${target}`),
    );

    expect(wrong).toEqual([]);
  });

  test('imports nothing for CDK elsewhere: it is not installed', () => {
    const isForCdk = (path = '') => path.startsWith('src/deploy/cdk/');
    const wrong = sources.filter(
      (file) => !isForCdk(file.path) && importsOf(file).some(({ target }) => isForCdk(target)),
    );

    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test('imports packages only in the folders that may, and the model and the plans only zod and big.js', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier, target }) => target === undefined && !mayLoad(file.path, specifier))
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    );

    expect(wrong).toEqual([]);
  });

  test('reads the environment in environment.ts only', () => {
    const readers = sources.filter(({ text }) =>
      /process\s*\.\s*env\b|process\[|\benv\b[^;\n]*from 'node:process'/.test(text),
    );

    expect(readers.map(({ path }) => path)).toEqual(['src/worker/environment.ts']);
  });
});

describe('names', () => {
  test('say what a file or a folder contains', () => {
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

  test('name no barrel but the entry points of the package', () => {
    expect(sources.filter(({ path }) => path.endsWith('/index.ts')).map(({ path }) => path)).toEqual(
      entryPoints,
    );
  });
});

/** Folders of test/ without a counterpart in src/, and what they test. */
const crossCutting: Readonly<Record<string, string>> = {
  anchors: 'definitions in sources, which planted bugs and mutants name',
  'archive-proofs': 'the archive on a server that speaks S3',
  deployed: 'the stack on an emulator',
  docs: 'pages: their links, commands, parameters and examples',
  events: 'events/',
  bench: 'bench/',
  cdk: 'the construct, with the CDK that its own manifest names',
  browser: 'the page of `denorm dev` in chromium',
  fixtures: 'items and values for tests',
  kill: '`denorm dev` that is killed',
  libraries: 'tables that other libraries write, which their own manifest names',
  mutation: 'whether tests find changed code',
  operations: 'commands on large tables',
  package: 'the packed package in projects outside of this repository',
  'sam-local': 'functions in containers',
  scripts: 'scripts/',
  simulation: 'the worker under any sequence of failures',
  suites: 'what every implementation of a port must do',
  'table-model': 'the model of the table that tests run on, compared with servers',
  template: 'template.yaml',
  terraform: 'the module of Terraform, applied',
};

describe('the tests', () => {
  const tests = files.filter(({ path }) => /^test\/.*\.test\.ts$/.test(path)).map(({ path }) => path);
  const inSrc = (path: string) => path.replace(/^test\//, 'src/').replace(/\.test\.ts$/, '.ts');

  test('are in folders of src, or in a listed folder', () => {
    const wrong = files
      .filter(({ path }) => path.startsWith('test/') && path.split('/').length > 2)
      .map(({ path }) => dirname(path))
      .filter((folder) => crossCutting[folder.split('/')[1] ?? ''] === undefined)
      .filter((folder) => !existsSync(resolve(repository, folder.replace(/^test/, 'src'))));

    expect([...new Set(wrong)]).toEqual([]);
    for (const folder of Object.keys(crossCutting)) {
      expect(existsSync(resolve(repository, 'test', folder)), folder).toBe(true);
      expect(existsSync(resolve(repository, 'src', folder)), folder).toBe(false);
    }
  });

  test('that have the name of a source have its path too', () => {
    const named = Map.groupBy(sources, ({ path }) => basename(path, '.ts'));
    const wrong = tests
      .filter((path) => crossCutting[path.split('/')[1] ?? ''] === undefined)
      .filter((path) => !existsSync(resolve(repository, inSrc(path))))
      .flatMap((path) =>
        (named.get(basename(path, '.test.ts')) ?? []).map((source) => `${path}: ${source.path}`),
      );

    expect(tests.length).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  });
});

describe('text', () => {
  // Split, so that this file does not match.
  test.each([
    ['a note of unfinished work', new RegExp(['TO', 'DO|FIX', 'ME|XX', 'X\\b'].join(''))],
    [
      'a way around the types',
      new RegExp(['@ts-', 'nocheck|biome-ignore lint/suspicious/', 'noExplicitAny'].join('')),
    ],
    ['a name that a minifier changes', /constructor\.name/],
  ])('does not hold %s', (_, pattern) => {
    const found = files.filter(({ text }) => pattern.test(text));

    expect(found.map(({ path }) => path)).toEqual([]);
  });

  test('of log lines and metrics is written in one file', () => {
    expect(sources.filter(({ text }) => /new (Logger|Metrics)\(/.test(text)).map(({ path }) => path)).toEqual(
      ['src/worker/lambda/telemetry.ts'],
    );
  });
});

function readAll(): SourceFile[] {
  const inParts = parts
    .flatMap((part) => readdirSync(resolve(repository, part), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => resolve(entry.parentPath, entry.name));
  return [...inParts, resolve(repository, ownConfig)].map((path) => ({
    path: relative(repository, path).split(sep).join('/'),
    text: readFileSync(path, 'utf8'),
  }));
}

/** The innermost layer that holds this file. */
function layerOf(path: string): string | undefined {
  return Object.keys(layers)
    .filter((layer) => path.startsWith(`${layer}/`) || path === `${layer}.ts`)
    .sort((a, b) => b.length - a.length)[0];
}

function mayImport(from: string, target: string): boolean {
  const allowed = layers[layerOf(from) ?? ''] ?? [];
  return allowed.some((layer) => target.startsWith(`${layer}/`) || target === `${layer}.ts`);
}

function mayLoad(from: string, name: string): boolean {
  // Keys of a ledger that are too long are digests.
  if (from === 'src/model/ledger.ts' && name === 'node:crypto') return true;
  if (/^src\/(model|worker\/propagation\/plan)\//.test(from)) return ['zod', 'big.js'].includes(name);
  return packages.every(
    ([these, folders]) => !these.test(name) || folders.some((folder) => from.startsWith(`${folder}/`)),
  );
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
