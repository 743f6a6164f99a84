import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { counted } from '../../model/basics/text.ts';
import type { ConnectionOptions } from '../../operate/adapters/connection.ts';
import { pulledSources } from '../../pull/project.ts';
import { noRepeats } from '../../pull/sources.ts';
import { UsageError } from '../errors.ts';
import { attributeName, projectWith, readme, standardNames } from '../init/project-files.ts';
import { projectName, requireFree, writeProject } from '../init/write-project.ts';
import { tableNameArgument } from '../options/arguments.ts';
import { countOption } from '../options/option-values.ts';
import { withTableConnection } from '../options/services.ts';
import { quoted } from '../output/next-command.ts';
import { withSample } from './items.ts';

export interface PullOptions extends ConnectionOptions {
  readonly table?: string;
  readonly export?: string;
  readonly items: number;
  readonly type?: string;
  readonly pk?: string;
  readonly sk?: string | false;
  readonly ttl?: string;
}

export function pullCommand(command: Command): Command {
  return withTableConnection(
    command
      .argument('[folder]', 'a new folder, or one that has none of the files', '.')
      .option('--table <name>', 'the table to describe and, without --export, to sample', tableNameArgument)
      .option('--export <folder>', 'the folder of an export, copied from S3, instead of a sample')
      .option('--items <number>', 'how many items to read, at most 20 MB of a table', countOption, 2000)
      .option(
        '--type <name>',
        'the attribute that names an item’s kind (default: what the items show)',
        attributeName,
      ),
  )
    .option('--pk <name>', 'without --table: the attribute of the partition key (default: PK)', attributeName)
    .option('--sk <name>', 'without --table: the attribute of the sort key (default: SK)', attributeName)
    .option('--no-sk', 'without --table: the table has no sort key')
    .option('--ttl <name>', 'without --table: the attribute with the expiry time', attributeName)
    .addHelpText('after', helpAfter)
    .action((folder: string, { sk, ...options }: PullOptions) =>
      // The option --no-sk has true as its default.
      pull(folder, { ...options, ...(typeof sk === 'string' || sk === false ? { sk } : {}) }),
    );
}

const helpAfter = `
Writes a project for a table that exists: its names, the kinds of items that a sample shows, and the rules that it leaves no doubt
of, with 'keep' as their policies. Others are comments with what they rest on. Reads only, and writes nothing of an item but the
names of attributes, the text of keys and the values of the type attribute. It guesses neither \`when\`, \`creates\` nor aggregates.
\`denorm verify\` then proves each rule on the whole table.

Required on AWS: dynamodb:DescribeTable, DescribeTimeToLive, Scan and BatchGetItem.

Examples:
  $ npx stream-denormalizer pull my-app --table app --region eu-central-1
  $ npx stream-denormalizer pull my-app --export export
  $ npx denorm pull my-app --table app --endpoint http://127.0.0.1:8000`;

/**
 * Writes a project with what the items of a table show.
 * @throws UsageError for a folder that has one of the files, or options that name no table
 */
export async function pull(folder: string, options: PullOptions): Promise<void> {
  const { table: tableName, export: exported, type } = options;
  const root = resolve(folder);
  if (tableName === undefined && exported === undefined)
    throw new UsageError(
      'usage.table',
      'Expected --table NAME or --export FOLDER, got neither: name one of them',
    );
  // Before a table is read for nothing.
  requireFree(root, ['denorm.config.ts', 'package.json', 'template.yaml', ...Object.values(sourceFiles)]);
  const where = exported === undefined ? `table ${tableName}` : `the export ${exported}`;
  await withSample(options, async ({ names, items, find }) => {
    if (items.length === 0)
      throw new UsageError(
        'usage.empty',
        `Expected items in ${where}, found none: pull from a table that has some`,
      );
    const from = `${counted(items.length, 'item')} of ${where}`;
    const pulled = await pulledSources({
      ...{ items, table: names, type, find, from, isGuessed: tableName === undefined },
      tableName: tableName ?? standardNames.table,
    });
    const { kinds, rules, doubtful } = pulled.counts;
    console.log(
      `${from}: ${counted(kinds, 'kind')}, ${counted(rules, 'rule')}, ${doubtful} more in comments of ${sourceFiles.rules}`,
    );
    if (!pulled.hasRepeats) console.log(`${noRepeats} Read more --items`);
    await writeProject(root, filesOf(root, pulled), nextCommands(root, options, rules > 0));
  });
}

function filesOf(root: string, pulled: Awaited<ReturnType<typeof pulledSources>>) {
  const name = projectName(root);
  const { config, table, kinds, rules } = pulled;
  const sources = new Map([
    [sourceFiles.kinds, kinds],
    [sourceFiles.rules, rules],
    [sourceFiles.test, testSource],
  ]);
  const ofRules = '| `src/rules.ts` | the rules that the items leave no doubt of, and others as comments |';
  const about = readme(name, [sourceFiles.kinds]).replace(/^\| `src\/rules\/` .*$/m, ofRules);
  return projectWith(name, { config, table, sources, readme: about });
}

const sourceFiles = { kinds: 'src/kinds.ts', rules: 'src/rules.ts', test: 'test/rules.test.ts' } as const;

const testSource = `import { expect, test } from 'vitest';
import config from '../denorm.config.ts';

// \`describeRule\` of stream-denormalizer/testing tries a rule on an example of yours.
test('the rules load', () => {
  expect(() => config.registry()).not.toThrow();
});
`;

function nextCommands(root: string, options: PullOptions, hasRules: boolean): readonly string[] {
  const { table, export: exported, endpoint, region, profile } = options;
  const isLocal = table === undefined;
  const at = isLocal
    ? '--stage dev'
    : Object.entries({ table, endpoint, region, profile })
        .flatMap(([name, value]) => (value === undefined ? [] : `--${name} ${quoted(value)}`))
        .join(' ');
  return [
    ...(isLocal
      ? [
          `npx denorm dev --import ${quoted(relative(root, resolve(exported ?? '')))} --db-path table.db   # and, beside it:`,
        ]
      : []),
    `npx denorm check ${at}`,
    ...(hasRules
      ? [`npx denorm verify ${at}   # proves each rule on the whole table, and writes nothing`]
      : []),
  ];
}
