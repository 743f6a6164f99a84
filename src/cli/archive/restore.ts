import { Command, Option } from 'commander';
import { counted, number, visible, word } from '../../model/basics/text.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import { dynamoDbPut } from '../../operate/adapters/dynamodb/write-item.ts';
import { listItems } from '../../operate/archive/read-states.ts';
import { type RestoreOutcome, restore as restoreItems } from '../../operate/archive/restore.ts';
import type { Retrieving } from '../../operate/archive/retrieval.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { reportedWork, UsageError } from '../errors.ts';
import { type ArchiveOptions, readArchive, withArchive } from '../options/archive.ts';
import { allRules } from '../options/rules-in-force.ts';
import { describedTable, type ServiceOptions, usingTable, withTableOptions } from '../options/services.ts';
import { budgetOf, withUnits } from '../options/units.ts';
import { printSummary } from '../output/json.ts';
import { listing } from '../output/listing.ts';
import { typedCommand } from '../output/next-command.ts';
import { withProgress } from '../output/terminal.ts';
import {
  type ChoiceOptions,
  choiceOf,
  requestedText,
  type SelectionOptions,
  selectionOf,
  stateId,
  withChoice,
  withRetrieval,
  withSelection,
} from './selection.ts';
import { archivedKey, keyOrNull } from './state-text.ts';

interface RestoreOptions extends ServiceOptions, ArchiveOptions, SelectionOptions, ChoiceOptions, Retrieving {
  readonly all?: true;
  readonly overwrite?: true;
  readonly dryRun?: true;
  readonly wcu?: number;
  readonly json?: true;
}

const itemsAtOnce = 16;

const selecting = ['kind', 'pk', 'sk', 'from', 'until'] as const;

export function restoreCommand(): Command {
  return withUnits(
    withRetrieval(withChoice(withSelection(withArchive(withTableOptions(new Command('restore')))))),
    'wcu',
  )
    .description('Puts archived items back into the table, without their expiry.')
    .argument(
      '[key]',
      'the key of one item, as JSON; without it, --kind, --pk, --sk, --from and --until select items',
    )
    .addOption(new Option('--all', 'restores every archived item').conflicts([...selecting]))
    .option('--overwrite', 'replaces existing items; their present content is lost')
    .option('--dry-run', 'counts the items, and neither writes nor requests retrievals')
    .option('--json', 'JSON lines for machines: one for each item, then a summary')
    .addHelpText('after', helpAfter)
    .action(restore);
}

const helpAfter = `
Restores the newest state of each item, unless --version or --at chooses another. After an interruption, run the same command again:
it skips existing items. What it puts back, Glacier, examples and permissions: docs/archive.md#restore. Exits 1 if an item could
not be restored, or not yet.`;

async function restore(key: string | undefined, options: RestoreOptions): Promise<void> {
  refuseContradictions(key, options);
  const choose = choiceOf(options);
  await usingTable(options, async (services, { stop }) => {
    const { connection, tableName, table } = services;
    const { reader, notes, name } = await readArchive(options, services);
    const rules = await allRules();
    const selection = await selectionOf(rules, reader, key, options);
    const { table: names } = rules;
    await describedTable(services, names);
    const label = options.dryRun ? 'restore (dry run)' : 'restore';
    const tally = restoreTally(names, options);
    const work = () =>
      withProgress({ label, unit: 'items' }, (bar) =>
        restoreItems(
          {
            names,
            reader,
            notes,
            table,
            choose,
            stop,
            retrieving: options,
            put: dynamoDbPut({ client: connection.dynamoDb, tableName, table: names }),
            writes: budgetOf(options.wcu, services),
            clock: systemClock,
            overwrite: options.overwrite === true,
            dryRun: options.dryRun === true,
            concurrency: itemsAtOnce,
            onOutcome: (outcome) => bar.update(tally.note(outcome)),
          },
          listItems(reader, names, selection),
        ),
      );
    const report = async (hasFailed: boolean) => {
      const interrupted = stop() || hasFailed;
      await tally.print(name, tableName, interrupted);
      return tally.isFine() && !interrupted;
    };
    await reportedWork(work, report, () => tally.done() === 0);
  });
}

function refuseContradictions(key: string | undefined, options: RestoreOptions): void {
  const chosen = options.all === true || selecting.some((name) => options[name] !== undefined);
  if (key === undefined && !chosen)
    throw new UsageError(
      'usage.options',
      'Expected a key, or --kind, --pk, --sk, --from or --until, got none of them: select items, or add --all',
    );
  if (key !== undefined && options.all)
    throw new UsageError('usage.options', 'Expected a key or --all, got both: leave one out');
  if (options.version !== undefined && key === undefined)
    throw new UsageError(
      'usage.options',
      'Expected --version with the key of one item, got none: name the item',
    );
}

function restoreTally(table: KeyNames, { json, ...options }: RestoreOptions) {
  const dryRun = options.dryRun === true;
  const list = listing(json === true);
  const counts = { restored: 0, exists: 0, requested: 0, none: 0, failed: 0 };
  /** Counted in dry runs only. */
  let inGlacier = 0;
  const classes = new Set<string>();
  const done = () => Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    note({ is, kind, key, state, storageClass, retrieval, error }: RestoreOutcome): number {
      counts[is] += 1;
      if (retrieval) inGlacier += 1;
      if (is === 'requested' && storageClass !== undefined) classes.add(storageClass);
      // Of an archive of millions, only what went wrong is listed for people.
      if (json || is === 'failed' || is === 'none')
        list.add({
          json: () => ({
            outcome: is === 'restored' && dryRun ? 'would restore' : is,
            kind,
            key: keyOrNull(table, key),
            state: state && stateId(state),
            storageClass,
            ...(error && { code: error.code, reason: error.message }),
          }),
          group: [is, kind, error?.code].join('\n'),
          heading: (count) =>
            `${is === 'none' ? 'no such state' : 'failed'}  ${word(kind)}  ${counted(count, 'item')}${error ? `: ${error.code}` : ''}`,
          text: () => `${archivedKey(table, key)}${error ? `  ${visible(error.message)}` : ''}`,
          rank: 0,
        });
      return done();
    },
    done,
    isFine(): boolean {
      const found = counts.restored + counts.exists;
      return found > 0 && found === done();
    },
    async print(archive: string, tableName: string, interrupted: boolean): Promise<void> {
      await list.printGroups();
      const { restored, exists, requested, none, failed } = counts;
      if (json) {
        printSummary({ table: tableName, archive, dryRun, ...counts, inGlacier, interrupted });
        return;
      }
      const parts = [
        `${counted(restored, 'item')} ${dryRun ? 'would be restored to' : 'restored to'} ${tableName}`,
        ...(inGlacier > 0 ? [`${number(inGlacier)} of them must be retrieved from Glacier first`] : []),
        ...(exists > 0 ? [`${number(exists)} skipped, because the item exists`] : []),
        ...(none > 0 ? [`${number(none)} without such a state`] : []),
        ...(failed > 0 ? [`${number(failed)} failed`] : []),
      ];
      if (dryRun && restored > 0) console.log(typedCommand({ '--dry-run': [] }));
      console.log(done() > 0 || interrupted ? parts.join('; ') : `No such item in ${archive}`);
      for (const storageClass of classes)
        console.log(`${number(requested)} requested from ${requestedText(storageClass, options)}`);
      if (interrupted)
        console.log(
          `Stopped before the end: run the same command again, which ${options.overwrite ? 'begins anew' : 'skips existing items'}`,
        );
    },
  };
}
