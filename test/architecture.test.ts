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

const model = ['src/model', 'src/plan'];
const worker = ['src/worker', ...model];

/** Each folder, and the folders that it may import from, itself included. */
const layers: Readonly<Record<string, readonly string[]>> = {
  // From what has no meaning of its own to the work that is sent: each builds on those above it.
  'src/model/basics': ['src/model/basics'],
  'src/model/items': ['src/model/items', 'src/model/basics'],
  'src/model/kinds': ['src/model/kinds', 'src/model/items', 'src/model/basics'],
  'src/model/rules': ['src/model/rules', 'src/model/kinds', 'src/model/items', 'src/model/basics'],
  'src/model/work': ['src/model'],
  // The rule engine: what a change asks for, and which writes make a copy right. It reads and writes nothing.
  'src/plan': model,
  // What is deployed. Adapters are the ports on the AWS SDK, each defined by the feature that asks for it.
  'src/worker/ports': ['src/model'],
  'src/worker/environment': ['src/model'],
  'src/worker/budget': ['src/worker/ports', 'src/model'],
  'src/worker/retry': ['src/worker/ports', 'src/model'],
  'src/worker/pauses': ['src/worker/ports', 'src/model'],
  'src/worker/heartbeat': ['src/worker/pauses', 'src/worker/ports', 'src/model'],
  'src/worker/batch': ['src/worker/batch', 'src/worker/ports', 'src/model'],
  'src/worker/scan': ['src/worker/scan', 'src/worker/budget', 'src/worker/ports', 'src/model'],
  'src/worker/propagation': [
    ...['src/worker/propagation', 'src/worker/batch', 'src/worker/budget', 'src/worker/heartbeat'],
    ...['src/worker/ports', ...model],
  ],
  'src/worker/verify': [
    ...['src/worker/verify', 'src/worker/propagation', 'src/worker/scan', 'src/worker/budget'],
    ...['src/worker/retry', 'src/worker/ports', ...model],
  ],
  'src/worker/archive': [
    ...['src/worker/archive', 'src/worker/scan', 'src/worker/batch', 'src/worker/budget'],
    ...['src/worker/heartbeat', 'src/worker/retry', 'src/worker/ports', ...model],
  ],
  'src/worker/adapters': [
    ...['src/worker/adapters', 'src/worker/archive', 'src/worker/retry', 'src/worker/ports', 'src/model'],
  ],
  'src/worker/lambda': worker,
  // What an operator uses.
  'src/operate': ['src/operate', ...worker],
  // The stack, which follows from the rules.
  'src/deploy': ['src/deploy', 'src/model'],
  'src/deploy/needs': ['src/deploy/needs', 'src/model'],
  // For CDK, which nothing else needs: so nothing else imports this.
  'src/deploy/cdk': ['src/deploy', 'src/model'],
  // What a developer uses: the worker on an embedded table or on a model of one, items made from schemas, what is wrong
  // with a project, and what would happen and cost.
  'src/dev': ['src/dev', 'src/deploy', 'src/operate', ...worker],
  'src/testing': ['src/testing', 'src/dev', 'src/deploy', 'src/operate', ...worker],
  'src/examples': ['src/examples', 'src/testing', 'src/operate/smoke', ...worker],
  'src/check': ['src/check', 'src/examples', 'src/testing', ...worker],
  // What a project for a table may be, by its items.
  'src/pull': ['src/pull', 'src/model'],
  'src/explain': ['src/explain', 'src/check', ...worker],
  'src/explain/dry-run': ['src/explain/dry-run', ...worker],
  'src/explain/cost': [
    ...['src/explain/cost', 'src/explain/dry-run', 'src/examples', 'src/testing/table-model'],
    ...['src/dev/event-source', 'src/deploy', ...worker],
  ],
  'src/simulator': [
    ...['src/simulator', 'src/testing', 'src/examples', 'src/dev/event-source'],
    ...['src/deploy', 'src/operate', ...worker],
  ],
  // The witness of the simulator: it has the formats of the worker, and nothing that decides.
  'src/simulator/oracle': [
    ...['src/simulator', 'src/testing/table-model', 'src/testing/plain-values', 'src/operate/archive'],
    ...['src/worker/archive/object', 'src/worker/batch/group', 'src/worker/ports'],
    ...['src/worker/propagation/fan-out-batch', 'src/model'],
  ],
  // The page on a local table or on a stack: a command starts it. Its client runs in a browser.
  'src/page': [
    ...['src/page', 'src/explain', 'src/examples', 'src/testing', 'src/dev', 'src/deploy', 'src/operate'],
    ...worker,
  ],
  'src/page/protocol': ['src/page/protocol'],
  'src/page/client': ['src/page/client', 'src/page/protocol', 'src/model/basics/text'],
  'src/model/basics/text': [],
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
  [/^@aws-sdk\//, ['src/worker/adapters', 'src/worker/lambda', 'src/operate/adapters', 'src/dev']],
  [/^@aws-lambda-powertools\//, ['src/worker/lambda']],
  [/^(aws-cdk-lib|constructs)(\/|$)/, ['src/deploy/cdk']],
  [/^esbuild$/, ['src/deploy/cdk', 'src/deploy/terraform']],
];

/** The files that a project imports from this one's package. */
const entryPoints = [
  'src/index.ts',
  'src/read/index.ts',
  'src/testing/index.ts',
  'src/worker/lambda/index.ts',
];

const files = readAll();
const ofSource = (all: readonly SourceFile[]) =>
  all.filter(({ path }) => /^((src|handlers)\/|denorm\.config\.ts$)/.test(path));

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
  servers: 'DynamoDB as MiniStack, moto and the embedded server have built it',
  suites: 'what every implementation of a port must do',
  'table-model': 'the model of the table that tests run on, compared with servers',
  template: 'template.yaml',
  terraform: 'the module of Terraform, applied',
};

/** What a rule of the tree finds wrong, and files that it has to find: a rule that finds nothing there guards nothing. */
interface Guard {
  find(files: readonly SourceFile[]): readonly string[];
  readonly finds: readonly SourceFile[];
}

const inSrc = (path: string) => path.replace(/^test\//, 'src/').replace(/\.test\.ts$/, '.ts');
const pathsOf = (all: readonly SourceFile[]) => all.map(({ path }) => path);
const file = (path: string, text = ''): SourceFile => ({ path, text });

function importing(isWrong: (from: string, specifier: string, target: string | undefined) => boolean) {
  return (all: readonly SourceFile[]) =>
    ofSource(all).flatMap((one) =>
      importsOf(one)
        .filter(({ specifier, target }) => isWrong(one.path, specifier, target))
        .map(({ specifier, target }) => `${one.path} imports ${target ?? specifier}`),
    );
}

const containing = (pattern: RegExp) => (all: readonly SourceFile[]) =>
  pathsOf(all.filter(({ text }) => pattern.test(text)));

/** Of sources that match, only these may. */
const onlyIn = (allowed: readonly string[], pattern: RegExp) => (all: readonly SourceFile[]) =>
  containing(pattern)(ofSource(all)).filter((path) => !allowed.includes(path));

const isForCdk = (path = '') => path.startsWith('src/deploy/cdk/');
const simulator = 'src/simulator/';
const emptyName = /^(utils?|helpers?|commons?|managers?|info|misc|shared|lib)$/;

const guards: Readonly<Record<string, Guard>> = {
  'every source is in a layer': {
    find: (all) => pathsOf(ofSource(all)).filter((path) => layerOf(path) === undefined),
    finds: [file('src/elsewhere/one.ts')],
  },
  'imports go one way': {
    find: importing((from, _, target) => target !== undefined && !mayImport(from, target)),
    finds: [
      file('src/model/work/one.ts', "import { x } from '../../worker/ports.ts';"),
      file('src/model/items/one.ts', "import { x } from '../kinds/kind.ts';"),
      file('src/worker/one.ts', "export { x } from '../cli/main.ts';"),
      file('src/plan/one.ts', "import '../worker/propagation/propagate.ts';"),
      file('src/page/one.ts', "import { x } from '../cli/output/text.ts';"),
      file('src/simulator/oracle/one.ts', "import '../../plan/match.ts';"),
      file('src/explain/one.ts', "import { writeText } from '../cli/output/writes.ts';"),
      file('src/explain/one.ts', "import '../page/server/journal.ts';"),
      file('src/testing/one.ts', "import { projectOf } from '../examples/project-examples.ts';"),
      file('src/read/one.ts', "const x = await import('../worker/ports.ts');"),
    ],
  },
  'nothing else imports what is for CDK: it is not installed': {
    find: importing((from, _, target) => !isForCdk(from) && isForCdk(target)),
    finds: [file('src/cli/one.ts', "import { x } from '../deploy/cdk/denormalizer.ts';")],
  },
  // So no test of a project loads it, and its witness is changed for its own sake only.
  'only its own command imports the simulator': {
    find: importing(
      (from, _, target = '') =>
        target.startsWith(simulator) && !from.startsWith(simulator) && !from.startsWith('src/cli/simulate/'),
    ),
    finds: [
      file('src/testing/one.ts', "import { relationOf } from '../simulator/oracle/relation.ts';"),
      file('src/explain/one.ts', "import type { World } from '../simulator/world/world.ts';"),
      file('src/examples/one.ts', "await import('../simulator/run.ts');"),
    ],
  },
  'packages are imported where they may be, in the model and the plans only zod/mini and big.js': {
    find: importing((from, specifier, target) => target === undefined && !mayLoad(from, specifier)),
    finds: [
      file('src/cli/one.ts', "import { S3Client } from '@aws-sdk/client-s3';"),
      file('src/cli/two.ts', "import { Logger } from '@aws-lambda-powertools/logger';"),
      file('src/deploy/one.ts', "import { Construct } from 'constructs';"),
      file('src/cli/three.ts', "import { build } from 'esbuild';"),
      file('src/model/basics/one.ts', "import { readFileSync } from 'node:fs';"),
      file('src/worker/one.ts', "import * as z from 'zod';"),
    ],
  },
  'only one file of the worker and one of the commands read the environment': {
    find: onlyIn(
      ['src/worker/environment.ts', 'src/cli/environment.ts'],
      /process\s*\.\s*env\b|process\[|\benv\b[^;\n]*from 'node:process'/,
    ),
    finds: [
      file('src/cli/one.ts', 'const { HOME } = process.env;'),
      file('src/dev/two.ts', "import { env } from 'node:process';"),
    ],
  },
  'names say what a file or a folder contains': {
    find: (all) =>
      pathsOf(all).filter((path) =>
        path
          .replace(/\.[\w.]+$/, '')
          .split('/')
          .flatMap((name) => name.split('-'))
          .some((word) => emptyName.test(word)),
      ),
    finds: [file('src/model/items/key-utils.ts'), file('src/shared/one.ts')],
  },
  'no file is a barrel but the entry points of the package': {
    find: (all) =>
      pathsOf(ofSource(all)).filter((path) => path.endsWith('/index.ts') && !entryPoints.includes(path)),
    finds: [file('src/model/rules/index.ts')],
  },
  'tests are in folders of src, or in a listed folder': {
    find: (all) =>
      pathsOf(all)
        .filter((path) => path.startsWith('test/') && path.split('/').length > 2)
        .filter((path) => crossCutting[path.split('/')[1] ?? ''] === undefined)
        .filter((path) => !existsSync(resolve(repository, dirname(inSrc(path))))),
    finds: [file('test/elsewhere/one.test.ts')],
  },
  'a test that has the name of a source has its path too': {
    find(all) {
      const named = Map.groupBy(ofSource(all), ({ path }) => basename(path, '.ts'));
      return pathsOf(all)
        .filter((path) => /^test\/.*\.test\.ts$/.test(path))
        .filter((path) => crossCutting[path.split('/')[1] ?? ''] === undefined)
        .filter((path) => !existsSync(resolve(repository, inSrc(path))))
        .flatMap((path) =>
          (named.get(basename(path, '.test.ts')) ?? []).map((source) => `${path}: ${source.path}`),
        );
    },
    finds: [file('test/cli/propagate.test.ts')],
  },
  // Split, so that this file does not match.
  'no text is a note of unfinished work': {
    find: containing(new RegExp(['TO', 'DO|FIX', 'ME|XX', 'X\\b'].join(''))),
    finds: [file('src/cli/one.ts', `// TO${'DO'}`), file('src/cli/two.ts', `// FIX${'ME'}`)],
  },
  'no text is a way around the types': {
    find: containing(new RegExp(['@ts-', 'nocheck|biome-ignore lint/suspicious/', 'noExplicitAny'].join(''))),
    finds: [file('src/cli/one.ts', `// @ts-${'nocheck'}`)],
  },
  'no text has a name that a minifier changes': {
    find: containing(new RegExp(['constructor', 'name'].join('\\.'))),
    finds: [file('src/cli/one.ts', ['error.constructor', 'name'].join('.'))],
  },
  'one file writes log lines and metrics': {
    find: onlyIn(['src/worker/lambda/telemetry.ts'], /new (Logger|Metrics)\(/),
    finds: [file('src/worker/lambda/one.ts', 'new Logger()'), file('src/cli/one.ts', 'new Metrics()')],
  },
};

describe('the tree', () => {
  test('has a source in every layer, and every listed folder of tests', () => {
    const folders = new Set(ofSource(files).map(({ path }) => layerOf(path)));

    for (const layer of Object.keys(layers)) expect(folders).toContain(layer);
    expect(ofSource(files).flatMap(importsOf).length).toBeGreaterThan(100);
    expect(pathsOf(files)).toEqual(expect.arrayContaining([...entryPoints]));
    for (const folder of Object.keys(crossCutting)) {
      expect(existsSync(resolve(repository, 'test', folder)), folder).toBe(true);
      expect(existsSync(resolve(repository, 'src', folder)), folder).toBe(false);
    }
  });

  test('has folders that are taken in at a glance: none has more than 25 files', () => {
    const crowd = Array.from({ length: 26 }, (_, number) => file(`src/plan/crowd/file-${number}.ts`));

    expect(crowded(files)).toEqual([]);
    expect(crowded([...files, ...crowd])).toEqual(['src/plan/crowd']);
  });

  test.each(Object.entries(guards))('%s', (_, { find, finds }) => {
    expect(find(files)).toEqual([]);
    for (const planted of finds)
      expect(
        find([...files, planted]).some((one) => one.startsWith(planted.path)),
        planted.path,
      ).toBe(true);
  });
});

function crowded(all: readonly SourceFile[]): readonly string[] {
  const byFolder = Map.groupBy(pathsOf(ofSource(all)), dirname);
  return [...byFolder].filter(([, paths]) => paths.length > 25).map(([folder]) => folder);
}

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
  if (from === 'src/model/rules/ledger.ts' && name === 'node:crypto') return true;
  if (/^src\/(model|plan)\//.test(from)) return /^(zod\/(mini|v4\/locales\/en\.js)|big\.js)$/.test(name);
  // All of zod would be in every function of a project whose kinds are of zod/mini.
  if (from.startsWith('src/worker/') && name === 'zod') return false;
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
