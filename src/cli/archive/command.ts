import { once } from 'node:events';
import { Command } from 'commander';
import { counted, word } from '../../model/basics/text.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import type { ArchivedState } from '../../operate/archive/archived-state.ts';
import { type ItemStatus, withStatus } from '../../operate/archive/item-status.ts';
import { type ArchivedItem, listItems } from '../../operate/archive/read-states.ts';
import { type Retrieving, retrieval } from '../../operate/archive/retrieval.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { type ArchiveOptions, readArchive, withArchive } from '../options/archive.ts';
import { allRules } from '../options/rules-in-force.ts';
import {
  describedTable,
  openServices,
  openTableServices,
  type ServiceOptions,
  type Services,
  type TableServices,
  usingServices,
  withConnection,
  withTableOptions,
} from '../options/services.ts';
import { closingLine, countsText } from '../output/closing-line.ts';
import { printSummary } from '../output/json.ts';
import { commandOn } from '../output/next-command.ts';
import { progressBar, warn } from '../output/terminal.ts';
import { visibleLine } from '../output/visible.ts';
import { auditCommand } from './audit.ts';
import { restoreCommand } from './restore.ts';
import {
  type ChoiceOptions,
  choiceOf,
  requestedText,
  type SelectionOptions,
  selectionOf,
  withChoice,
  withRetrieval,
  withSelection,
} from './selection.ts';
import {
  archivedKey,
  archivedText,
  type Listed,
  stateAsJson,
  stateCells,
  stateLine,
  stateNames,
  stateTable,
} from './state-text.ts';

export function archiveCommand(command: Command): Command {
  return command
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(restoreCommand())
    .addCommand(auditCommand())
    .addHelpText('after', helpAfter);
}

const helpAfter = `
The archive is that of --stack, a --bucket, or a folder of \`denorm dev\` (--state-dir). These commands read both
layouts, and also kinds whose rules were removed. Examples and permissions: docs/archive.md.`;

interface ListOptions extends ArchiveOptions, ServiceOptions, SelectionOptions {
  readonly status?: true;
  readonly json?: true;
}

function listCommand(): Command {
  return withSelection(withArchive(withTableOptions(new Command('list'))))
    .description('Prints a line for each archived state of each item, without its content, the newest last.')
    .argument('[key]', 'only this item, as JSON')
    .option(
      '--status',
      'also says whether each item is in the table, expired or restored, and when it expires: half a read unit for each 4 KB of it, and a request to S3',
    )
    .option('--json', 'JSON lines for machines: one for each state, then a summary')
    .addHelpText('after', listHelp)
    .action(list);
}

const listHelp = `
A last state is the state in which an item ended. With --status, an item that is not in the table and has not expired is gone. Examples and permissions: docs/archive.md. Exits 1 if nothing is found.`;

async function list(key: string | undefined, { json, ...options }: ListOptions): Promise<void> {
  const opening: Promise<Services | TableServices> = options.status
    ? openTableServices(options)
    : openServices(options);
  await usingServices(opening, async (services, { stop }) => {
    const { reader, notes, name } = await readArchive(options, services);
    const rules = await allRules();
    const selection = await selectionOf(rules, reader, key, options);
    const hasStatus = 'table' in services;
    if (hasStatus) await describedTable(services, rules.table);
    // On a terminal, the printed lines already show progress.
    const bar = process.stdout.isTTY ? undefined : progressBar({ label: 'list', unit: 'items' });
    let items = 0;
    let states = 0;
    const statuses: Partial<Record<ItemStatus['is'], number>> = {};
    const all = listItems(reader, rules.table, selection);
    const listed: AsyncIterable<Listed> = hasStatus
      ? withStatus({ names: rules.table, reader, notes, table: services.table, clock: systemClock }, all)
      : all;
    const isTable = !json && process.stdout.isTTY;
    const rows: (readonly string[])[] = [];
    try {
      for await (const item of listed) {
        if (stop()) break;
        if (items === 0 && !json && !isTable) await print(stateLine(stateNames, hasStatus));
        items += 1;
        if (item.status !== undefined) statuses[item.status.is] = (statuses[item.status.is] ?? 0) + 1;
        states += item.states.length;
        bar?.update(items);
        for (const state of item.states)
          if (json) await print(JSON.stringify(stateAsJson(rules.table, item, state)));
          else if (isTable) rows.push(stateCells(rules.table, item, state));
          else await print(stateLine(stateCells(rules.table, item, state), hasStatus));
        if (rows.length >= rowsOfTable) console.log(stateTable(rows.splice(0)));
      }
    } finally {
      bar?.stop();
    }
    if (rows.length > 0) console.log(stateTable(rows));
    const fault = stop() ? 'it has not come to its end' : items === 0 ? 'nothing was found' : undefined;
    const found =
      items === 0 && !stop()
        ? [`No such item in ${name}`]
        : [
            `${counted(items, 'item')} in ${name}`,
            `found ${counted(states, 'state')}`,
            hasStatus
              ? countsText(Object.entries(statuses)) || undefined
              : '--status says which have expired',
          ];
    if (json) printSummary({ archive: name, items, states, ...(hasStatus && { statuses }) });
    else console.log(closingLine(found, fault));
    process.exitCode = fault === undefined ? exitCodes.fine : exitCodes.failed;
  });
}

/** A long listing is several tables: each is printed once its rows are known. */
const rowsOfTable = 500;

/** Waits until the line is written, so that a slow reader does not make a long listing pile up in memory. */
async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${visibleLine(line)}\n`)) await once(process.stdout, 'drain');
}

interface ShowOptions extends ArchiveOptions, ServiceOptions, ChoiceOptions, Retrieving {
  readonly kind?: string;
  readonly json?: true;
}

function showCommand(): Command {
  return withRetrieval(withChoice(withArchive(withConnection(new Command('show')))))
    .description('Prints one archived item with its content, as DynamoDB JSON.')
    .argument('<key>', 'the key of the item, as JSON')
    .option('--kind <kind>', 'the kind of the item, if the key does not determine it')
    .option('--json', 'JSON for machines: the state, and the item')
    .addHelpText('after', showHelp)
    .action(show);
}

const showHelp = `
The output is what was archived: checksum and digest are compared. An object in Glacier is requested first: docs/archive.md#glacier,
with permissions. Exits 1 if nothing is found, or if it is not readable yet, or damaged.`;

async function show(key: string, options: ShowOptions): Promise<void> {
  const choose = choiceOf(options);
  await usingServices(openServices(options), async (services) => {
    const { reader, name } = await readArchive(options, services);
    const rules = await allRules();
    const kind = options.kind === undefined ? {} : { kind: [options.kind] };
    const selection = await selectionOf(rules, reader, key, kind);
    const found: { item: ArchivedItem; state: ArchivedState }[] = [];
    let items = 0;
    for await (const item of listItems(reader, rules.table, selection)) {
      const state = choose(item.states);
      items += 1;
      if (state !== undefined) found.push({ item, state });
    }
    const [one, another] = found;
    if (another !== undefined)
      throw new UsageError(
        'usage.kind',
        `Expected --kind, got none: the archive holds this key as ${found.map(({ item }) => item.kind).join(' and ')}, so add --kind`,
      );
    process.exitCode = exitCodes.failed;
    if (one === undefined) {
      const what = `${items === 0 ? 'No state' : 'No such state'} of ${archivedKey(rules.table, selection.key)}`;
      const { bucket, stateDir } = options;
      const words = [
        ...['archive', 'list', ...(items === 0 ? [] : [key])],
        ...(bucket === undefined ? [] : ['--bucket', bucket]),
        ...(stateDir === undefined ? [] : ['--state-dir', stateDir]),
      ];
      warn(`${what} is in ${name}: \`${commandOn(words, options)}\` lists what is`);
      return;
    }
    const read = await retrieval(reader, options)(one.state);
    if ('requested' in read) {
      const when = read.requested === 'now' ? 'was requested now' : 'was requested before';
      warn(`The object ${when}, from ${requestedText(read.storageClass, options)}`);
      return;
    }
    const item = itemToJson(read.item);
    if (options.json) printSummary({ ...stateAsJson(rules.table, one.item, one.state), item });
    else {
      console.error(
        `${word(one.item.kind)} ${archivedKey(rules.table, one.item.key)}, ${archivedText(one.state)}`,
      );
      console.log(JSON.stringify(item, null, 2));
    }
    process.exitCode = exitCodes.fine;
  });
}
