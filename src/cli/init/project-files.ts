import { configSource, tableSource } from './config-source.ts';
import type { Names } from './names.ts';
import { packageFile, packageFiles, packageManifest } from './package-files.ts';
import { type SampleName, sampleSources, samples } from './samples.ts';

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
    ['samconfig.toml', packageFile('samconfig.toml').replaceAll('"denorm-', `"${name}-`)],
    ['.gitignore', packageFile('init/gitignore')],
    ['README.md', readme(name, [...sources.keys()])],
  ]);
}

function manifestSource(name: string): string {
  const { version, engines, peerDependencies, devDependencies } = packageManifest();
  const development = ['@aws-sdk/client-cloudwatch', '@types/node', 'esbuild', 'typescript', 'vitest'];
  const manifest = {
    ...{ name, version: '0.1.0', private: true, type: 'module', engines },
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
