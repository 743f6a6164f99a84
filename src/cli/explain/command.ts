import type { Command } from 'commander';
import { exitCodes, UsageError } from '../errors.ts';
import { readJson, readKey } from '../options/arguments.ts';
import { countOption } from '../options/option-values.ts';
import { withRules } from '../options/rules-in-force.ts';
import { withWhere } from '../options/where.ts';
import { progressBar } from '../output/terminal.ts';
import { exampleKeys } from '../output/text.ts';
import { type Explanation, explainEvent, explainItem, type Subject, subjectsOf } from './explain-subjects.ts';
import { type ExplainTableOptions, openImages, openTable } from './explain-table.ts';
import { explanationJson } from './explanation-json.ts';
import { explanationText, type Printing } from './explanation-text.ts';
import { PlannedWorker } from './planned-worker.ts';

interface ExplainOptions extends ExplainTableOptions {
  readonly pages?: number;
  readonly showValues?: true;
  readonly json?: true;
}

export function explainCommand(command: Command): Command {
  return withRules(withWhere(command))
    .argument('[item key | event.json]', 'a key as JSON, or a file with an event, as Lambda delivers it')
    .option('--images [file]', 'uses the images in the event and the items in this file instead of a table')
    .option('--archive-dir <dir>', 'the archive folder of `denorm dev`, to look up what it already holds')
    .option('--bucket <name>', 'the archive bucket, to look up what it already holds (default: the stack’s)')
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
    .option('--json', 'one JSON object for machines, with every request')
    .addHelpText('after', helpAfter)
    .action(explain);
}

const helpAfter = () => `
The command runs the worker's own propagations on a table that keeps their writes in memory. It therefore reads what the worker
would read, every copy included, and uses as many read units. It follows the writes that come back on the stream until nothing
more would be written. A computation of an aggregate reads all members of its target; the write of a total comes back and reads
them again, as its check.

An event only says which items to look at: each write is computed from the table as it is now. With --images, the images in the
event, in the state in which the event leaves them, and the items in the file take the place of the table. The file is a JSON
list, or output of \`aws dynamodb scan\` or \`query\`. Write --images after the event, or as --images=items.json.

Units are those that AWS documents: 1 WCU for each KB of the larger of the item before and after, as many for each index whose
entry changes, twice as many if an index key changes, and twice as many for the table in a transaction; 1 RCU for each 4 KB.

Required on AWS: dynamodb:GetItem, BatchGetItem and Query on the table and its indexes; with --stack also
cloudformation:DescribeStacks and lambda:GetFunctionConfiguration; for the archive s3:GetObject and s3:ListBucket.

Exits 1 if the worker would fail: an invalid record, or a root or copy that would be dead-lettered.

Examples:
  $ denorm explain '${exampleKeys.root()}' --endpoint http://127.0.0.1:8000
  $ denorm explain '${exampleKeys.copy()}' --stack denorm-prod --show-values
  $ denorm explain events/propagate-post-modify.json --table app --json | jq .cost.total
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
  const { registry, settings, evidence, table, archive } = open;
  const progress = progressBar({ label: 'explain', unit: 'copies' });
  let explanation: Explanation;
  try {
    let copies = 0;
    const worker = new PlannedWorker({
      ...{ registry, table, settings, maxParts: options.pages ?? Number.POSITIVE_INFINITY },
      onPart: (found) => {
        copies += found;
        progress.update(copies);
      },
    });
    const stage = { registry, worker, archive };
    explanation =
      key === undefined
        ? await explainEvent(stage, subjectsOf(registry, evidence, event))
        : await explainItem(stage, table, key);
  } finally {
    progress.stop();
    open.close();
  }
  const printing: Printing = {
    registry,
    values: options.showValues === true,
    archiveSeen: archive !== undefined,
    tableSeen: options.images === undefined,
  };
  console.log(
    options.json
      ? JSON.stringify(explanationJson(explanation, printing), null, 2)
      : explanationText(explanation, printing),
  );
  process.exitCode = isWhole(explanation) ? exitCodes.fine : exitCodes.failed;
}

/** Whether a record is unreadable, or a rule cannot tell whose copy its item is. */
function isRefused(subject: Subject): boolean {
  if (subject.is === 'record')
    return [...subject.whys, ...subject.computed, ...subject.archives].some(
      ({ fault }) => fault !== undefined,
    );
  if (subject.is === 'item')
    return (
      subject.roles.some((role) => role.as === 'copy' && role.fault !== undefined) ||
      subject.archives.some(({ fault }) => fault !== undefined) ||
      subject.aggregates.some((role) => role.as === 'member' && role.fault !== undefined)
    );
  return subject.is === 'unreadable';
}

/** Whether every record is readable and nothing would be dead-lettered. */
function isWhole({ subjects, first, after }: Explanation): boolean {
  const deadLettered = [first, ...after].some(({ propagations }) =>
    propagations.some((propagation) => propagation.deadLettered.length > 0),
  );
  return !deadLettered && subjects.every((subject) => !isRefused(subject));
}
