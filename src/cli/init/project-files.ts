import type { Names } from './names.ts';
import { packageFile, packageFiles, packageManifest } from './package-files.ts';
import {
  importedName,
  type ListedRules,
  ruleFile,
  type SampleName,
  sampleParameters,
  sampleSources,
  samples,
} from './samples.ts';

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
  return new Map([
    ['denorm.config.ts', configSource(listed, names.table)],
    ['src/table.ts', tableSource(names, indexes)],
    ...sources,
    ...packageFiles('handlers').map((path) => [`handlers/${path}`, packageFile(`handlers/${path}`)] as const),
    ['events/README.md', packageFile('init/events.md')],
    ['package.json', manifestSource(name)],
    ['tsconfig.json', packageFile('init/tsconfig.json')],
    ['vitest.config.ts', packageFile('init/vitest.config.ts')],
    ['samconfig.toml', packageFile('samconfig.toml').replaceAll('"denorm-', `"${name}-`)],
    ['.gitignore', packageFile('init/gitignore')],
    ['README.md', readme(name, [...sources.keys()])],
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

function readme(name: string, sources: readonly string[]): string {
  const items = sources.filter((path) => path.endsWith('items.ts')).map((path) => `\`${path}\``);
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
