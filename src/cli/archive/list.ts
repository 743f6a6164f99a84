import { Command } from 'commander';
import { listItems } from '../../operate/archive/read-states.ts';
import { exitCodes } from '../errors.ts';
import { interruption } from '../interruption.ts';
import { type LookInOptions, lookIn, withArchive } from '../options/archive.ts';
import { allRules } from '../options/rules-in-force.ts';
import { withConnection } from '../options/where.ts';
import { progressBar } from '../output/terminal.ts';
import { counted } from '../output/text.ts';
import { visibleLine } from '../output/visible.ts';
import { type SelectionOptions, selectionOf, withSelection } from './selection.ts';
import {
  itemAsJson,
  itemHead,
  itemLine,
  keyAsJson,
  stateAsJson,
  stateHead,
  stateLine,
} from './state-text.ts';

interface ListOptions extends LookInOptions, SelectionOptions {
  readonly versions?: true;
  readonly json?: true;
}

export function listCommand(): Command {
  return withSelection(withArchive(withConnection(new Command('list'))))
    .description('Prints a line for each archived item, or for each of its states, without its content.')
    .argument('[key]', 'only this item, as JSON')
    .option('--versions', 'prints a line for each state; the newest of an item comes last')
    .option('--json', 'JSON lines for machines')
    .addHelpText('after', helpAfter)
    .action(list);
}

const helpAfter = `
A line is about the newest state of an item, or with --versions about one state and its id. A last state is the state in which an
item ended. Examples and permissions: docs/archive.md. Exits 1 if nothing is found.`;

async function list(key: string | undefined, options: ListOptions): Promise<void> {
  const { versions, json } = options;
  await lookIn(options, async ({ reader, name }) => {
    const rules = await allRules();
    const selection = await selectionOf(rules, reader, key, options);
    const interrupted = interruption();
    // On a terminal, the printed lines already show progress.
    const bar = process.stdout.isTTY ? undefined : progressBar({ label: 'list', unit: 'items' });
    let items = 0;
    try {
      for await (const item of listItems(reader, rules.table, selection)) {
        if (interrupted.asked()) break;
        if (items === 0 && !json) await print(versions ? stateHead : itemHead);
        items += 1;
        bar?.update(items);
        if (!versions) await print(json ? itemAsJson(item) : itemLine(item));
        else
          for (const state of item.states)
            await print(
              json
                ? JSON.stringify({ kind: item.kind, key: keyAsJson(item.key), state: stateAsJson(state) })
                : stateLine(item, state),
            );
      }
    } finally {
      bar?.stop();
      interrupted.end();
    }
    const found = items > 0;
    if (!json) console.log(found ? `${counted(items, 'item')} in ${name}` : `No such item in ${name}`);
    process.exitCode = found && !interrupted.asked() ? exitCodes.fine : exitCodes.failed;
  });
}

/** Waits until the line is written, so that a slow reader does not make a long listing pile up in memory. */
function print(line: string): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.write(`${visibleLine(line)}\n`)) resolve();
    else process.stdout.once('drain', resolve);
  });
}
