import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import * as z from 'zod';
import { projectStack, stackText } from '../../deploy/stack-template.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { UsageError } from '../errors.ts';
import { tableNameArgument } from '../options/arguments.ts';
import { version } from '../own-package.ts';
import { configName, loadProject } from '../project.ts';
import {
  attributeName,
  type Names,
  projectFiles,
  requireDistinct,
  type SampleName,
  samples,
  standardNames,
} from './project-files.ts';

interface InitOptions extends Names {
  readonly sample?: SampleName;
}

export function initCommand(command: Command): Command {
  return command
    .argument('[folder]', 'a new folder, or one that has none of the files', '.')
    .addOption(
      new Option('--sample <name>', 'the rules of an application, instead of one rule to overwrite').choices(
        Object.keys(samples),
      ),
    )
    .option('--table <name>', 'the table of `denorm dev`', tableNameArgument, standardNames.table)
    .option('--pk <name>', 'the attribute of the partition key', attributeName, standardNames.pk)
    .option('--sk <name>', 'the attribute of the sort key', attributeName, standardNames.sk)
    .option('--no-sk', 'a table without sort key')
    .addOption(
      new Option('--sk-type <type>', 'of the sort key: text or a number').choices(['S', 'N']).default('S'),
    )
    .option('--ttl <name>', 'the attribute with the expiry time', attributeName, standardNames.ttl)
    .option('--type <name>', 'the attribute that names an item’s kind', attributeName, standardNames.type)
    .addHelpText('after', helpAfter)
    .action(init);
}

const helpAfter = `
Writes no file that exists already. Needs no network and no AWS account.

Examples:
  $ npx stream-denormalizer init my-app
  $ npx stream-denormalizer init my-app --pk pk --sk sk --ttl expires_at
  $ npx stream-denormalizer init my-chat --sample chat`;

async function init(folder: string, options: InitOptions): Promise<void> {
  requireDistinct(options);
  if (options.sample !== undefined && (options.sk === false || options.skType === 'N'))
    throw new UsageError(
      'usage.names',
      `Expected a sort key of text for --sample ${options.sample}, got ${options.sk === false ? '--no-sk' : '--sk-type N'}: leave one of the two out`,
    );
  const root = resolve(folder);
  const files = projectFiles({ name: nameOf(root), sample: options.sample, names: options });
  requireFree(root, [...files.keys(), 'template.yaml']);
  for (const [path, text] of files) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
  }
  resolveOwnPackages();
  const { config } = await loadProject(join(root, configName));
  writeFileSync(join(root, 'template.yaml'), stackText(projectStack({ config }), version));
  const cd = relative(process.cwd(), root);
  console.log(`${files.size + 1} files in ${cd || '.'}. Next:
${cd === '' ? '' : `  cd ${/\s/.test(cd) ? `"${cd}"` : cd}\n`}  ${installCommand(root)}
  npm test
  npx denorm dev`);
}

function requireFree(root: string, paths: readonly string[]): void {
  if (existsSync(root) && !statSync(root).isDirectory())
    throw new UsageError('usage.folder', `Expected ${root} to be a folder, found a file: name another`);
  const there = paths.filter((path) => existsSync(join(root, path)));
  if (there.length > 0)
    throw new UsageError(
      'usage.folder',
      `Expected a folder without the files of a new project, found ${there.join(', ')} in ${root}: name another folder, or move them away`,
    );
}

/** A folder's name as npm and CloudFormation take it. */
function nameOf(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  return name === '' ? 'app' : name;
}

/** Lets a new config load before its packages are installed: this package and zod are this package's own. */
function resolveOwnPackages(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isOwn = /^(stream-denormalizer|zod)(\/|$)/.test(specifier);
      return next(specifier, isOwn ? { ...context, parentURL: import.meta.url } : context);
    },
  });
}

/** What npm has installed, with where each package is from. */
const installedSchema = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/** Installs the packages of a new project, with this one from where it is: a file that `npm pack` made, a checkout or npm. */
function installCommand(project: string): string {
  const own = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '');
  const packages = dirname(own);
  if (!packages.endsWith(`${sep}node_modules`)) return `npm install "$(npm pack --silent ${quoted(own)})"`;
  const list = join(packages, '.package-lock.json');
  const installed = existsSync(list) ? jsonOrUndefined(readFileSync(list, 'utf8')) : undefined;
  const { data } = installedSchema.safeParse(installed);
  const [, file] =
    /^file:(.+\.tgz)$/.exec(data?.packages['node_modules/stream-denormalizer']?.resolved ?? '') ?? [];
  if (file === undefined) return 'npm install';
  return `npm install ${quoted(relative(project, resolve(dirname(packages), file)))}`;
}

function quoted(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${path}'`;
}
