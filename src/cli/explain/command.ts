import type { Command } from 'commander';
import type { Explanation } from '../../develop/page/protocol/explanation.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { readJson, readKey } from '../options/arguments.ts';
import { countOption } from '../options/option-values.ts';
import { withRules } from '../options/rules-in-force.ts';
import { withWhere } from '../options/where.ts';
import { progressBar } from '../output/terminal.ts';
import { exampleKeys } from '../output/text.ts';
import { explainEvent, explainItem, isRefused, readEvent } from './explain.ts';
import { type ExplainTableOptions, openImages, openTable } from './explain-table.ts';
import type { PlannerOptions } from './planner.ts';
import { explanationText } from './text.ts';

interface ExplainOptions extends ExplainTableOptions {
  readonly pages?: number;
  readonly showValues?: true;
  readonly json?: true;
}

export function explainCommand(command: Command): Command {
  return withRules(withWhere(command))
    .argument('[item key | event.json]', 'a key as JSON, or a file with an event, as Lambda delivers it')
    .option('--images [file]', 'uses the images in the event and the items in this file instead of a table')
    .option(
      '--page-limit <number>',
      'copies that one delivery handles (default: PageLimit of the stack, otherwise 500)',
      countOption,
    )
    .option(
      '--pages <number>',
      'deliveries of a propagation to follow; the others are only counted (default: all)',
      countOption,
    )
    .option('--show-values', 'also shows attribute values before and after: item content')
    .option('--json', 'one JSON object for machines, with every write')
    .addHelpText('after', helpAfter)
    .action(explain);
}

const helpAfter = () => `
The command runs the worker's own propagations on a table that keeps their writes in memory. It reads what the worker would read,
every copy included, and uses as many read units. It follows the writes that come back on the stream until nothing more would be
written. What is archived of an item, \`denorm archive show\` tells.

An event only says which items to look at: each write is computed from the table as it is now. With --images, the images in the
event, in the state in which the event leaves them, and the items in the file take the place of the table. The file is a JSON
list, or output of \`aws dynamodb scan\` or \`query\`. Write --images after the event, or as --images=items.json.

Units are those that AWS documents: 1 WCU for each KB of the larger of the item before and after, as many for each index whose
entry changes, twice as many if an index key changes, and twice as many for the table in a transaction; 1 RCU for each 4 KB.

Required on AWS: dynamodb:GetItem, BatchGetItem and Query on the table and its indexes; with --stack also
cloudformation:DescribeStacks and lambda:GetFunctionConfiguration.

Exits 1 if the worker would dead-letter the record, the item, its root or a copy.

Examples:
  $ denorm explain '${exampleKeys.root()}' --endpoint http://127.0.0.1:8000
  $ denorm explain '${exampleKeys.copy()}' --stack denorm-prod --show-values
  $ denorm explain events/propagate-post-modify.json --table app --json | jq .cost
  $ denorm explain events/propagate-author-modify.json --images`;

async function explain(what: string | undefined, options: ExplainOptions): Promise<void> {
  if (what === undefined)
    throw new UsageError(
      'usage.subject',
      `Expected an item key or a file with an event, got ${typeof options.images === 'string' ? 'only --images, which takes the next word as its file: write --images last' : 'neither: name one'}`,
    );
  const key = what.trimStart().startsWith('{') ? await readKey(what) : undefined;
  const event = key === undefined ? await readJson(what, 'an event, such as those in events/') : undefined;
  const open = options.images === undefined ? await openTable(options) : await openImages(options, event);
  const { registry, settings, evidence, table } = open;
  const progress = progressBar({ label: 'explain', unit: 'copies' });
  let copies = 0;
  const planner: PlannerOptions = {
    ...{ registry, table, settings, maxDeliveries: options.pages, values: options.showValues === true },
    onDelivery: (found) => {
      copies += found;
      progress.update(copies);
    },
  };
  let explanation: Explanation;
  try {
    explanation =
      key === undefined
        ? await explainEvent(planner, readEvent(registry, evidence, event))
        : await explainItem(planner, key);
  } finally {
    progress.stop();
    open.close();
  }
  console.log(options.json ? JSON.stringify(explanation, null, 2) : explanationText(explanation));
  if (!options.json && options.images !== undefined)
    console.log('Only the given images were read: other copies are unknown.');
  process.exitCode = isRefused(explanation) ? exitCodes.failed : exitCodes.fine;
}
