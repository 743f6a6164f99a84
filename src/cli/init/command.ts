import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ConnectionOptions } from '../../operate/adapters/connection.ts';
import { UsageError } from '../errors.ts';
import { tableNameArgument } from '../options/arguments.ts';
import { withTableConnection } from '../options/services.ts';
import { warn } from '../output/terminal.ts';
import { pull } from '../pull/command.ts';
import { isExport } from '../pull/items.ts';
import {
  attributeName,
  type Names,
  projectFiles,
  requireDistinct,
  type SampleName,
  samples,
  standardNames,
} from './project-files.ts';
import { projectName, writeProject } from './write-project.ts';

interface InitOptions extends Names, ConnectionOptions {
  readonly sample?: SampleName;
  readonly from?: string;
}

export function initCommand(command: Command): Command {
  return withTableConnection(command)
    .argument('[folder]', 'a new folder, or one that has none of the files', '.')
    .option('--from <table or export>', 'the kinds and rules that its items show: the same as `denorm pull`')
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
Writes no file that exists already. Needs no network and no AWS account, except for --from a table.

Examples:
  $ npx stream-denormalizer init my-app
  $ npx stream-denormalizer init my-app --pk pk --sk sk --ttl expires_at
  $ npx stream-denormalizer init my-chat --sample chat
  $ npx stream-denormalizer init my-app --from app --region eu-central-1`;

async function init(folder: string, options: InitOptions, command: Command): Promise<void> {
  if (options.from !== undefined) {
    const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
    const { from, sample, skType: _, ...others } = options;
    const twice = sample === undefined ? (isGiven('table') ? '--table' : undefined) : '--sample';
    if (twice !== undefined)
      throw new UsageError(
        'usage.from',
        `Expected --from alone, got it with ${twice}: leave one of the two out`,
      );
    const given = Object.fromEntries(Object.entries(others).filter(([name]) => isGiven(name)));
    if (isExport(from)) return await pull(folder, { ...given, export: from, items: 2000 });
    try {
      return await pull(folder, { ...given, table: from, items: 2000 });
    } catch (error) {
      if (!(error instanceof UsageError))
        warn(`no folder ${from} with an export exists, so it is taken for a table`);
      throw error;
    }
  }
  requireDistinct(options);
  if (options.sample !== undefined && (options.sk === false || options.skType === 'N'))
    throw new UsageError(
      'usage.names',
      `Expected a sort key of text for --sample ${options.sample}, got ${options.sk === false ? '--no-sk' : '--sk-type N'}: leave one of the two out`,
    );
  const root = resolve(folder);
  const files = projectFiles({ name: projectName(root), sample: options.sample, names: options });
  await writeProject(root, files, ['npm test', 'npx denorm dev']);
}
