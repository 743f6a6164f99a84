import { Command } from 'commander';
import { itemToJson } from '../../model/dynamodb-json.ts';
import type { Item } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import { type ArchivedItem, readState } from '../../operate/archive/read-states.ts';
import { askFor, retrievalTime, untilReadable } from '../../operate/archive/retrieval.ts';
import type { ArchivedState } from '../../worker/archive/archived-state.ts';
import type { ArchiveReader } from '../../worker/archive/ports.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { interruption } from '../interruption.ts';
import { type LookInOptions, lookIn, withArchive } from '../options/archive.ts';
import { allRules } from '../options/rules-in-force.ts';
import { withConnection } from '../options/where.ts';
import { warn, withProgress } from '../output/terminal.ts';
import { counted } from '../output/text.ts';
import { visible, word } from '../output/visible.ts';
import { lookEvery, type RetrievalOptions, waitingClock, withRetrieval } from './retrieval-options.ts';
import { type ChoiceOptions, choiceOf, chosenItems, selectionOf, withChoice } from './selection.ts';
import { keyAsJson, keyText, plainJson, stateAsJson, timeText } from './state-text.ts';

interface ShowOptions extends LookInOptions, ChoiceOptions, RetrievalOptions {
  readonly kind?: string;
  readonly dynamodbJson?: true;
  readonly json?: true;
}

export function showCommand(): Command {
  return withRetrieval(withChoice(withArchive(withConnection(new Command('show')))))
    .description('Prints one archived item with its content.')
    .argument('<key>', 'the key of the item, as JSON')
    .option('--kind <kind>', 'the kind of the item, if the key does not determine it')
    .option('--dynamodb-json', 'prints DynamoDB JSON, with types, as `aws dynamodb put-item --item` takes it')
    .option('--json', 'one JSON line for machines: the state, and the item as DynamoDB JSON')
    .addHelpText('after', helpAfter)
    .action(show);
}

const helpAfter = `
The output is what was archived: checksum and digest are compared. Plain JSON has numbers with all digits, sets as lists, binary as
base64. An object in Glacier is requested first: docs/archive.md#glacier, with permissions. Exits 1 if nothing is found, or if it is
not readable yet, or damaged.`;

async function show(key: string, options: ShowOptions): Promise<void> {
  if (options.json && options.dynamodbJson)
    throw new UsageError('usage.options', 'Expected --json or --dynamodb-json, got both: leave one out');
  const choose = choiceOf(options);
  await lookIn(options, async ({ reader, name }) => {
    const rules = await allRules();
    const selection = await selectionOf(rules, reader, key, {
      ...(options.kind !== undefined && { kind: [options.kind] }),
    });
    const found: { item: ArchivedItem; state: ArchivedState }[] = [];
    let items = 0;
    for await (const item of chosenItems(reader, selection)) {
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
      const what =
        items === 0 ? `No state of ${keyText(selection.key)}` : `No such state of ${keyText(selection.key)}`;
      console.error(`denorm: ${what} is in ${name}: \`denorm archive list --versions\` lists what is`);
    } else if (await isReadable(reader, one.state, options)) {
      print(one.item, one.state, await readState(reader, one.state), options, rules.table);
      process.exitCode = exitCodes.fine;
    }
  });
}

/** Requests the retrieval of an object in Glacier, and waits for it with `--wait`. */
async function isReadable(
  reader: ArchiveReader,
  state: ArchivedState,
  options: ShowOptions,
): Promise<boolean> {
  const { is, storageClass } = await askFor(reader, state, options);
  if (is === 'readable') return true;
  const time = retrievalTime(storageClass, options.tier);
  const every = lookEvery(options);
  if (is === 'gone') warn(`${visible(state.objectKey)} was erased in the meantime`);
  else if (every === undefined)
    console.error(
      `denorm: The object is in ${storageClass} and ${is === 'asked' ? 'was requested now' : 'was requested before'}: it will be readable ${
        is === 'asked' ? `in ${time}` : `within ${time} of that request`
      }, for ${counted(options.days, 'day')}. Run the same command again then, or add --wait`,
    );
  if (is === 'gone' || every === undefined) return false;
  // Before it says so.
  const interrupted = interruption();
  console.error(
    `denorm: The object is in ${storageClass} and was requested: waiting about ${time}; Ctrl-C is safe`,
  );
  try {
    return await withProgress({ label: 'waiting for Glacier', unit: 'seconds' }, (bar) =>
      untilReadable({ reader, clock: waitingClock(bar) }, state, every, interrupted.asked),
    );
  } finally {
    interrupted.end();
  }
}

function print(
  { kind, key }: ArchivedItem,
  state: ArchivedState,
  item: Item,
  { json, dynamodbJson }: ShowOptions,
  table: TableNames,
): void {
  if (json) {
    console.log(
      JSON.stringify({ kind, key: keyAsJson(key), state: stateAsJson(state), item: itemToJson(item) }),
    );
    return;
  }
  const last = state.final ? ', its last state' : '';
  console.error(`${word(kind)} ${keyText(key)}, archived ${timeText(state.archivedAt)}${last}`);
  console.log(dynamodbJson ? JSON.stringify(itemToJson(item), null, 2) : plainJson(item, table));
}
