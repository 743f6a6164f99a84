import { Command } from 'commander';
import { describeTable } from '../../adapters/dynamodb/describe-table.ts';
import { dynamoDbPut } from '../../adapters/dynamodb/put-item.ts';
import { restore as restoreItems } from '../../archive/restore.ts';
import { loadRules } from '../../rules/index.ts';
import { Budget } from '../../scan/budget.ts';
import { systemClock } from '../../scan/clock.ts';
import { table as names } from '../../table.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { interruption } from '../interruption.ts';
import { type ArchiveOptions, readArchive, withArchive } from '../options/archive-where.ts';
import { unitsOption } from '../options/option-values.ts';
import { openWhere, type WhereOptions, withWhere } from '../options/where.ts';
import { progressBar } from '../output/progress.ts';
import { chosenItems } from './chosen-items.ts';
import { refuseMissingFolder } from './look-in.ts';
import { RestoreTally } from './restore-tally.ts';
import { lookEvery, type RetrievalOptions, waitingClock, withRetrieval } from './retrieval-options.ts';
import { type SelectionOptions, selectionOf, withSelection } from './selection.ts';
import { type ChoiceOptions, choiceOf, withChoice } from './state-choice.ts';

interface RestoreOptions
  extends WhereOptions,
    ArchiveOptions,
    SelectionOptions,
    ChoiceOptions,
    RetrievalOptions {
  readonly all?: true;
  readonly overwrite?: true;
  readonly dryRun?: true;
  readonly wcu: number;
  readonly json?: true;
}

/** Items that are restored side by side. */
const itemsAtOnce = 16;

/** `denorm archive restore` */
export function restoreCommand(): Command {
  return withRetrieval(withChoice(withSelection(withArchive(withWhere(new Command('restore'))))))
    .description('Puts archived items back into the table, without their expiry.')
    .argument('[key]', 'one item, as JSON; otherwise --kind, --pk, --sk, --from and --until say which')
    .option('--all', 'everything that is archived')
    .option('--overwrite', 'also where an item stands under the key: what stands there is gone then')
    .option('--dry-run', 'counts, and neither writes nor asks Glacier for anything')
    .option('--wcu <units>', 'write units a second, index arms included, or `unlimited`', unitsOption, 100)
    .option('--json', 'JSON lines for machines: one for each item, and a summary last')
    .addHelpText('after', helpAfter)
    .action(restore);
}

const helpAfter = `
Of each item the newest state comes back, the last one of its last life, unless --version or --at says otherwise. It is put
only where nothing stands, attribute by attribute as it was, but without its expiry; and it is noted as restored, so that the
sweep leaves it alone for as long as its rule lets items age. What was interrupted is simply said again: what stands is passed
over. From Glacier items have to be asked for first: see \`denorm archive show --help\`; without --wait say the same again later.

Copies are not archived: what the worker fills in (index keys of the item itself, the user's order where the application put
one) follows by itself; copies that are gone, such as an incident's participations, are for the application to put again.
An item that a user deleted under a rule that keeps is archived like any other, and comes back with the rest: name keys.

Needs dynamodb:DescribeTable, GetItem, BatchGetItem and PutItem; on the archive what \`show\` needs, and s3:PutObject for
restored/*. Ends with 1 where something could not be restored, or not yet.

Examples:
  $ denorm archive restore '{"PK":"ORDER#42","SK":"METADATA"}' --stack prod-denorm
  $ denorm archive restore --kind Order OrderItem --pk ORDER#42 --stack prod-denorm --dry-run
  $ denorm archive restore --kind Incident --from 2026-11-01 --until 2026-11-08 --stack prod-denorm --wait --tier Bulk`;

async function restore(key: string | undefined, options: RestoreOptions): Promise<void> {
  refuseContradictions(key, options);
  refuseMissingFolder(options);
  const choose = choiceOf(options);
  const where = await openWhere(options);
  const interrupted = interruption();
  const bar = progressBar({ label: options.dryRun ? 'restore (dry run)' : 'restore', unit: 'items' });
  try {
    const { connection, tableName, table } = where;
    const { reader, notes, name } = readArchive(options, where);
    const rules = loadRules({ statusShards: 1, disabled: [] });
    const selection = await selectionOf(rules, reader, key, options);
    await describeTable(connection.dynamoDb, tableName, names);
    const tally = new RestoreTally(options, bar);
    await restoreItems(
      {
        ...{ names, reader, notes, table, choose },
        put: dynamoDbPut({ client: connection.dynamoDb, tableName, table: names }),
        writes: new Budget(options.wcu, systemClock),
        clock: options.wait ? waitingClock(bar) : systemClock,
        overwrite: options.overwrite === true,
        dryRun: options.dryRun === true,
        retrieving: options,
        waitEvery: lookEvery(options),
        concurrency: itemsAtOnce,
        stop: interrupted.asked,
        onOutcome: (outcome) => tally.note(outcome),
      },
      chosenItems(reader, selection),
    );
    bar.stop();
    tally.print(name, tableName, interrupted.asked());
    process.exitCode = tally.isFine() && !interrupted.asked() ? exitCodes.fine : exitCodes.failed;
  } finally {
    bar.stop();
    interrupted.end();
    where.close();
  }
}

/** @throws UsageError where nothing says what is to be restored, or options do not go together */
function refuseContradictions(key: string | undefined, options: RestoreOptions): void {
  const { kind, pk, sk, from, until, all, version, dryRun, wait } = options;
  const chosen = [kind, pk, sk, from, until].some((option) => option !== undefined);
  if (key === undefined && !chosen && !all)
    throw new UsageError(
      'usage.options',
      'Expected a key, or --kind, --pk, --sk, --from or --until, got none of them: say what to restore, or --all for everything',
    );
  if (all && (key !== undefined || chosen))
    throw new UsageError(
      'usage.options',
      'Expected --all alone, got it with what chooses less: leave one out',
    );
  if (version !== undefined && key === undefined)
    throw new UsageError(
      'usage.options',
      'Expected --version with the key of one item, got none: name the item',
    );
  if (dryRun && wait)
    throw new UsageError(
      'usage.options',
      'Expected --dry-run or --wait, got both: a dry run asks for nothing',
    );
}
