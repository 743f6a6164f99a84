import { Command } from 'commander';
import { word } from '../../model/basics/text.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import type { ArchivedState } from '../../operate/archive/archived-state.ts';
import { type ArchivedItem, listItems } from '../../operate/archive/read-states.ts';
import { type Retrieving, retrieval } from '../../operate/archive/retrieval.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { type LookInOptions, readArchive, withArchive } from '../options/archive.ts';
import { allRules } from '../options/rules-in-force.ts';
import { openServices, usingServices, withConnection } from '../options/services.ts';
import { warn } from '../output/terminal.ts';
import {
  type ChoiceOptions,
  choiceOf,
  requestedText,
  selectionOf,
  withChoice,
  withRetrieval,
} from './selection.ts';
import { archivedKey, archivedText, stateAsJson } from './state-text.ts';

interface ShowOptions extends LookInOptions, ChoiceOptions, Retrieving {
  readonly kind?: string;
  readonly json?: true;
}

export function showCommand(): Command {
  return withRetrieval(withChoice(withArchive(withConnection(new Command('show')))))
    .description('Prints one archived item with its content, as DynamoDB JSON.')
    .argument('<key>', 'the key of the item, as JSON')
    .option('--kind <kind>', 'the kind of the item, if the key does not determine it')
    .option('--json', 'one JSON line for machines: the state, and the item')
    .addHelpText('after', helpAfter)
    .action(show);
}

const helpAfter = `
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
      warn(`${what} is in ${name}: \`denorm archive list\` lists what is`);
      return;
    }
    const read = await retrieval(reader, options)(one.state);
    if ('requested' in read) {
      const when = read.requested === 'now' ? 'was requested now' : 'was requested before';
      warn(`The object ${when}, from ${requestedText(read.storageClass, options)}`);
      return;
    }
    const item = itemToJson(read.item);
    if (options.json) console.log(JSON.stringify({ ...stateAsJson(rules.table, one.item, one.state), item }));
    else {
      console.error(
        `${word(one.item.kind)} ${archivedKey(rules.table, one.item.key)}, ${archivedText(one.state)}`,
      );
      console.log(JSON.stringify(item, null, 2));
    }
    process.exitCode = exitCodes.fine;
  });
}
