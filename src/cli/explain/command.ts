import { Command } from 'commander';
import { templatePath } from '../../dev/dev-environment.ts';
import { readTemplate } from '../../dev/template.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { countOption } from '../options/count-option.ts';
import { readKey } from '../options/item-key.ts';
import { readJson } from '../options/json-file.ts';
import { withRules } from '../options/rules-in-force.ts';
import { withWhere } from '../options/where.ts';
import { progressBar } from '../output/progress.ts';
import { type Explanation, explainEvent, subjectsOf } from './explain-event.ts';
import { explainItem } from './explain-item.ts';
import { type ExplainTableOptions, openImages, openTable } from './explain-table.ts';
import { explanationJson } from './explanation-json.ts';
import { explanationText, type Printing } from './explanation-text.ts';
import { PlannedWorker } from './planned-worker.ts';

interface ExplainOptions extends ExplainTableOptions {
  readonly pages?: number;
  readonly showValues?: true;
  readonly json?: true;
}

/** `denorm explain` */
export function explainCommand(): Command {
  return withRules(withWhere(new Command('explain')))
    .description(
      'Says what the worker would do about an item as it stands, or about an event: which rules match and why, where the copies are, what would be written on what condition, and what it costs. Writes nothing.',
    )
    .argument(
      '[item key | event.json]',
      'a key such as \'{"PK":"…","SK":"…"}\', or a file with an event, as Lambda would deliver it',
    )
    .option('--images [file]', 'without a table: the images in the event, and the items in this file')
    .option('--archive-dir <dir>', 'the archive of `denorm dev`, to see what stands there already')
    .option(
      '--bucket <name>',
      'the archive’s bucket, to see what stands there already (default: the stack’s)',
    )
    .option(
      '--page-limit <number>',
      'copies that one delivery takes (default: PageLimit of the stack, otherwise 500)',
      countOption,
    )
    .option(
      '--pages <number>',
      'deliveries of a propagation that are looked into; the rest is only counted (default: all)',
      countOption,
    )
    .option('--show-values', 'also shows what attributes hold and would hold')
    .option('--json', 'one JSON object, with every request by itself, for machines')
    .addHelpText('after', helpAfter)
    .action(explain);
}

const helpAfter = `
It takes the worker's own propagations, on a table that keeps in memory what they would write. So it reads what the worker would
read, every copy included, and costs as many read units. What comes back on the stream is followed until nothing more
would be written.

The event is a doorbell: what would be written comes from the table as it is now. With --images the event's own images
are the table, as the event leaves them, with the items of the file beside them: a JSON list, or what \`aws dynamodb scan\`
and \`query\` print. Write --images after the event, or --images=items.json.

Units are AWS's documented ones: 1 WCU for each KB of the larger of the item before and after, as much for each index
whose entry changes, twice that where an index key does, and double for the table in a transaction; 1 RCU for 4 KB.

On AWS it asks of you dynamodb:GetItem, BatchGetItem and Query on the table and its indexes, with --stack besides
cloudformation:DescribeStacks and lambda:GetFunctionConfiguration, and to look into the archive s3:GetObject, s3:ListBucket.

Ends with 1 if something could not be done: a record that is none, a root or a copy that would be dead-lettered.

Examples:
  $ denorm explain '{"PK":"USER#42","SK":"#METADATA"}' --endpoint http://127.0.0.1:8000
  $ denorm explain '{"PK":"SERVER#1","SK":"USER#42"}' --stack denorm-prod --show-values
  $ denorm explain events/incident-closed.json --table app --json | jq .cost.total
  $ denorm explain events/user-renamed.json --images`;

async function explain(what: string | undefined, options: ExplainOptions): Promise<void> {
  if (what === undefined)
    throw new UsageError(
      'usage.subject',
      `Expected an item key or a file with an event, got ${typeof options.images === 'string' ? 'only --images, which takes the word after it: write it last' : 'neither'}`,
    );
  const key = what.trimStart().startsWith('{') ? readKey(what) : undefined;
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
    const { BatchSize: batchSize } = readTemplate(templatePath).functions.Propagate.mapping;
    const stage = { registry, worker, archive, batchSize };
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

/** Whether all of it could be done: nothing would be dead-lettered. */
function isWhole({ subjects, first, after }: Explanation): boolean {
  const deadLettered = [first, ...after].some(({ propagations }) =>
    propagations.some((propagation) => propagation.deadLettered.length > 0),
  );
  return !deadLettered && subjects.every(({ is }) => is !== 'unreadable');
}
