import { posix } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.ts';
import { packageFile, packageFiles, packageManifest } from '../own-package.ts';

export interface ProjectSpec {
  /** In lower-case letters, digits and hyphens: of the npm package, and the first word of its stacks. */
  readonly name: string;
  /** Undefined for a project with one rule to overwrite. */
  readonly sample: SampleName | undefined;
  readonly names: Names;
}

const blankRules = { rules: ['teamNameOnMembers'], archives: [] };

/** The files of a new project by their paths, without its template. */
export function projectFiles({ name, sample, names }: ProjectSpec): ReadonlyMap<string, string> {
  const listed = sample === undefined ? blankRules : samples[sample];
  const blank = `init/${names.sk === false ? 'single' : names.skType === 'N' ? 'numeric' : 'blank'}`;
  const sources =
    sample === undefined
      ? new Map(packageFiles(blank).map((path) => [path, packageFile(`${blank}/${path}`)]))
      : sampleSources(sample);
  const indexes = [...new Set([...sources.values()].join('\n').match(/\bGSI\d\b/g))].toSorted();
  return projectWith(name, {
    config: configSource(listed, names.table),
    table: tableSource(names, indexes),
    sources,
    readme: readme(name, [...sources.keys()]),
  });
}

export interface ProjectSources {
  readonly config: string;
  readonly table: string;
  /** Kinds, rules and their tests, by their paths. */
  readonly sources: ReadonlyMap<string, string>;
  readonly readme: string;
}

/** A project of these sources, with all that makes it run, without its template. */
export function projectWith(
  name: string,
  { config, table, sources, readme }: ProjectSources,
): ReadonlyMap<string, string> {
  return new Map([
    ['denorm.config.ts', config],
    ['src/table.ts', table],
    ...sources,
    ...packageFiles('handlers').map((path) => [`handlers/${path}`, packageFile(`handlers/${path}`)] as const),
    ['events/README.md', packageFile('init/events.md')],
    ['package.json', manifestSource(name)],
    ['tsconfig.json', packageFile('init/tsconfig.json')],
    ['vitest.config.ts', packageFile('init/vitest.config.ts')],
    ['samconfig.toml', packageFile('samconfig.toml').replaceAll('"denorm-', `"${name}-`)],
    ['.gitignore', packageFile('init/gitignore')],
    ['README.md', readme],
  ]);
}

function manifestSource(name: string): string {
  const { version, engines, peerDependencies, devDependencies } = packageManifest();
  const development = ['@aws-sdk/client-cloudwatch', '@types/node', 'esbuild', 'typescript', 'vitest'];
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines,
    scripts: {
      start: 'denorm dev',
      dev: 'denorm dev',
      test: 'vitest run',
      types: 'tsc --noEmit',
      template: 'denorm template',
      check: 'denorm check',
    },
    dependencies: { 'stream-denormalizer': `^${version}`, zod: peerDependencies['zod'] },
    devDependencies: Object.fromEntries(
      development.map((dependency) => [dependency, `^${devDependencies[dependency]}`]),
    ),
    // Its script only makes it start sooner.
    allowScripts: { esbuild: false },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function readme(name: string, sources: readonly string[]): string {
  const items = sources.filter((path) => /(items|kinds)\.ts$/.test(path)).map((path) => `\`${path}\``);
  return packageFile('init/README.md')
    .replace('NAME', name)
    .replace('ITEMS', `| ${items.join(', ')} | the kinds of items: their keys and attributes |`);
}

function configSource({ rules, aggregates = [], archives }: ListedRules, tableName: string): string {
  const listed = [...rules, ...aggregates, ...archives];
  const parameters = [
    ...new Set(listed.flatMap((expression) => expression.match(/\b[A-Z]\w+/g) ?? [])),
  ].toSorted();
  const imports = listed
    .map((expression) => {
      const name = importedName(expression);
      return `import { ${name} } from './src/rules/${ruleFile(name)}';\n`;
    })
    .toSorted();
  return `import { defineConfig } from 'stream-denormalizer';
${parameters.length > 0 ? "import * as z from 'zod';\n" : ''}${imports.join('')}import { table } from './src/table.ts';

/** What every function and every command is given. */
export default defineConfig({
  table,
${parameters.length > 0 ? `  parameters: {\n${sampleParameters(parameters).join('\n')}\n  },\n` : ''}${list('rules', rules)}${aggregates.length > 0 ? list('aggregates', aggregates) : ''}${
  archives.length > 0 ? list('archives', archives) : ''
}  stages: {
    dev: { endpoint: 'http://127.0.0.1:8000', table: '${tableName}' },
  },
});
`;
}

function list(field: 'rules' | 'aggregates' | 'archives', expressions: readonly string[]): string {
  const used = [...new Set(expressions.join().match(/\b[A-Z]\w+/g))];
  const values = used.length === 0 ? '' : `({ ${used.join(', ')} }) => `;
  return `  ${field}: ${values}[${expressions.join(', ')}],\n`;
}

function tableSource({ pk, sk, skType, ttl, type }: Names, indexes: readonly string[]): string {
  const entry = (name: string) => `{ name: '${name}', pk: '${name}PK', sk: '${name}SK', projection: 'ALL' }`;
  const single = `    byTeam: { name: 'by-team', pk: 'teamId', projection: 'ALL' },`;
  const lines =
    indexes.length > 0
      ? indexes.map((name) => `    ${name}: ${entry(name)},`)
      : [sk === false ? single : `    // GSI1: ${entry('GSI1')},`];
  const exported = sk === false ? ['byTeam'] : indexes;
  const sortKey = skType === 'N' ? `{ name: '${sk}', type: 'N' }` : `'${sk}'`;
  return `import type { TableNames } from 'stream-denormalizer';

/** Every name of the table that the code uses. After a change, \`npx denorm template\` writes it into the template. */
export const table = {
  pk: '${pk}',
${sk === false ? '' : `  sk: ${sortKey},\n`}  indexes: {
${lines.join('\n')}
  },
  ttl: '${ttl}',
  type: '${type}',
} as const satisfies TableNames;
${exported.length > 0 ? `\nexport const { ${exported.join(', ')} } = table.indexes;\n` : ''}`;
}

interface ListedRules {
  /** Expressions such as `archiveOrders(StatusShards, SweepAfterDays)`. */
  readonly rules: readonly string[];
  readonly aggregates?: readonly string[];
  readonly archives: readonly string[];
}

/** The samples of `init`: rules that this repository deploys itself. Each is in the file of its name in `src/rules`. */
export const samples = {
  incidents: {
    rules: ['incidentOnParticipations'],
    archives: ['archiveIncidents(SweepAfterDays)'],
  },
  chat: {
    rules: ['usernameOnMemberships'],
    archives: [],
  },
  shop: {
    rules: ['orderStatusKeys(StatusShards)', 'orderOnUserOrder', 'orderDateOnItems'],
    archives: ['archiveOrders(StatusShards, SweepAfterDays)', 'archiveProfiles'],
  },
  votes: {
    rules: ['leaderboardKeys'],
    aggregates: ['contenderTotals'],
    archives: [],
  },
} as const satisfies Readonly<Record<string, ListedRules>>;

export type SampleName = keyof typeof samples;

/** The name that an expression of a config imports. */
function importedName(expression: string): string {
  return expression.replace(/\(.*/, '');
}

function ruleFile(name: string): string {
  return `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
}

/** The test of a sample's rules, their sources, and all that these import, by their paths in a project. */
function sampleSources(name: SampleName): Map<string, string> {
  const { rules, aggregates = [], archives }: ListedRules = samples[name];
  const test = `test/rules/${name}.test.ts`;
  const sources = new Map([[test, packageFile(test)]]);
  const waiting = [...rules, ...aggregates, ...archives].map(
    (expression) => `src/rules/${ruleFile(importedName(expression))}`,
  );
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (sources.has(path)) continue;
    const text = packageFile(path);
    sources.set(path, text);
    for (const [, imported = ''] of text.matchAll(/ from '(\.\/[^']+)'/g))
      waiting.push(posix.join(posix.dirname(path), imported));
  }
  return new Map([...sources].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function sampleParameters(names: readonly string[]): readonly string[] {
  const config = packageFile('denorm.config.ts');
  return names.map((name) => {
    const [definition] = new RegExp(`^ {4}${name}: z[^]*?,\\n(?= {2,4}[}\\w])`, 'm').exec(config) ?? [];
    if (definition === undefined) throw new Error(`Expected the parameter ${name} in denorm.config.ts`);
    return definition.trimEnd();
  });
}

export interface Names {
  readonly table: string;
  readonly pk: string;
  /** False for a table without sort key. */
  readonly sk: string | false;
  readonly skType: 'S' | 'N';
  readonly ttl: string;
  readonly type: string;
}

export const standardNames: Names = {
  table: 'app',
  pk: 'PK',
  sk: 'SK',
  skType: 'S',
  ttl: 'ExpiresAt',
  type: 'Type',
};

export function attributeName(text: string): string {
  if (/^[A-Za-z_][\w-]*$/.test(text)) return text;
  throw new InvalidArgumentError(
    'Expected letters, digits, hyphens and underscores, not beginning with a digit; for another name, edit src/table.ts afterwards.',
  );
}

/** @throws UsageError `usage.names` if two of the attributes have one name */
export function requireDistinct({ pk, sk, ttl, type }: Names): void {
  const names = [pk, ...(sk === false ? [] : [sk]), ttl, type];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError(
      'usage.names',
      `Expected four different names in --pk, --sk, --ttl and --type, got '${twice}' twice: name another`,
    );
}
