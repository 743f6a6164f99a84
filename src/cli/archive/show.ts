import { Command } from 'commander';
import type { ArchivedState } from '../../archive/archived-state.ts';
import type { ArchiveReader } from '../../archive/ports.ts';
import { type ArchivedItem, readState } from '../../archive/read-states.ts';
import { askFor, retrievalTime, untilReadable } from '../../archive/retrieval.ts';
import { itemToJson } from '../../model/dynamodb-json.ts';
import type { Item } from '../../model/item.ts';
import { loadRules } from '../../rules/index.ts';
import { table } from '../../table.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { interruption } from '../interruption.ts';
import { withArchive } from '../options/archive-where.ts';
import { withConnection } from '../options/where.ts';
import { progressBar } from '../output/progress.ts';
import { chosenItems } from './chosen-items.ts';
import { plainJson } from './item-text.ts';
import { type LookInOptions, lookIn } from './look-in.ts';
import { lookEvery, type RetrievalOptions, waitingClock, withRetrieval } from './retrieval-options.ts';
import { selectionOf } from './selection.ts';
import { type ChoiceOptions, choiceOf, withChoice } from './state-choice.ts';
import { keyAsJson, keyText, stateAsJson, timeText } from './state-line.ts';

interface ShowOptions extends LookInOptions, ChoiceOptions, RetrievalOptions {
  readonly kind?: string;
  readonly dynamodbJson?: true;
  readonly json?: true;
}

/** `denorm archive show` */
export function showCommand(): Command {
  return withRetrieval(withChoice(withArchive(withConnection(new Command('show')))))
    .description('Prints one archived item: what it held. The one command that prints what items hold.')
    .argument('<key>', 'its key, as JSON')
    .option('--kind <kind>', 'its kind, where the key does not tell it')
    .option(
      '--dynamodb-json',
      'as DynamoDB spells it, types and all: what `aws dynamodb put-item --item` takes',
    )
    .option('--json', 'one JSON line for machines: the state, and the item as DynamoDB spells it')
    .addHelpText('after', helpAfter)
    .action(show);
}

const helpAfter = `
The item goes to standard output as plain JSON: numbers with all their digits, sets as lists, binary as base64. Whoever needs
the types says --dynamodb-json. Which state it is goes to standard error. The checksum and the digest are compared: what is
printed is what was archived.

From Glacier it first has to be asked for, which costs a little and takes from minutes to two days, by class and --tier. The
command asks, says how long it takes and ends with 1: say the same again then, or say --wait. Asking twice costs nothing.

Needs s3:ListBucketVersions, s3:GetObject, s3:GetObjectVersion, and for Glacier s3:RestoreObject. Ends with 1 where nothing
is found, where it has to be waited for, and where what stands there is damaged.

Examples:
  $ denorm archive show '{"PK":"ORDER#42","SK":"METADATA"}' --stack prod-denorm
  $ denorm archive show '{"PK":"ORDER#42","SK":"METADATA"}' --stack prod-denorm --at 2026-11-21T08:00Z --tier Bulk --wait`;

async function show(key: string, options: ShowOptions): Promise<void> {
  if (options.json && options.dynamodbJson)
    throw new UsageError('usage.options', 'Expected --json or --dynamodb-json, got both: leave one out');
  const choose = choiceOf(options);
  await lookIn(options, async ({ reader, name }) => {
    const rules = loadRules({ statusShards: 1, disabled: [] });
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
        `Expected --kind, got none: items of ${found.map(({ item }) => item.kind).join(' and ')} stand under this key`,
      );
    process.exitCode = exitCodes.failed;
    if (one === undefined) {
      const what =
        items === 0 ? `Nothing of ${keyText(selection.key)}` : `No such state of ${keyText(selection.key)}`;
      console.error(`denorm: ${what} stands in ${name}: \`denorm archive list --versions\` says what does`);
    } else if (await isReadable(reader, one.state, options)) {
      print(one.item, one.state, await readState(reader, one.state), options);
      process.exitCode = exitCodes.fine;
    }
  });
}

/** Asks for what stands in Glacier, and waits where that was said. */
async function isReadable(
  reader: ArchiveReader,
  state: ArchivedState,
  options: ShowOptions,
): Promise<boolean> {
  const { is, storageClass } = await askFor(reader, state, options);
  if (is === 'readable') return true;
  const time = retrievalTime(storageClass, options.tier);
  const every = lookEvery(options);
  if (is === 'gone') console.error(`denorm: ${state.objectKey} is no more: it was erased meanwhile`);
  else if (every === undefined)
    console.error(
      `denorm: It stands in ${storageClass} and ${is === 'asked' ? 'was asked for now' : 'has been asked for'}: it can be read ${
        is === 'asked' ? `in ${time}` : `within ${time} of that`
      }, for ${options.days} days. Say the same again then, or --wait`,
    );
  if (is === 'gone' || every === undefined) return false;
  console.error(
    `denorm: It stands in ${storageClass} and was asked for: waiting, some ${time}; Ctrl-C is safe`,
  );
  const bar = progressBar({ label: 'waiting for Glacier', unit: 'seconds' });
  const interrupted = interruption();
  try {
    return await untilReadable({ reader, clock: waitingClock(bar) }, state, every, interrupted.asked);
  } finally {
    bar.stop();
    interrupted.end();
  }
}

function print(
  { kind, key }: ArchivedItem,
  state: ArchivedState,
  item: Item,
  { json, dynamodbJson }: ShowOptions,
): void {
  if (json) {
    console.log(
      JSON.stringify({ kind, key: keyAsJson(key), state: stateAsJson(state), item: itemToJson(item) }),
    );
    return;
  }
  const last = state.final ? ', its last state' : '';
  console.error(`${kind} ${keyText(key)}, archived ${timeText(state.archivedAt)}${last}`);
  console.log(dynamodbJson ? JSON.stringify(itemToJson(item), null, 2) : plainJson(item, table));
}
