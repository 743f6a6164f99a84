import { Command } from 'commander';
import { counted } from '../../model/basics/text.ts';
import { listItems } from '../../operate/archive/read-states.ts';
import { exitCodes } from '../errors.ts';
import { type LookInOptions, readArchive, withArchive } from '../options/archive.ts';
import { allRules } from '../options/rules-in-force.ts';
import { openServices, usingServices, withConnection } from '../options/services.ts';
import { progressBar } from '../output/terminal.ts';
import { visibleLine } from '../output/visible.ts';
import { type SelectionOptions, selectionOf, withSelection } from './selection.ts';
import { isNarrow, stateAsJson, stateHead, stateLine } from './state-text.ts';

interface ListOptions extends LookInOptions, SelectionOptions {
  readonly json?: true;
}

export function listCommand(): Command {
  return withSelection(withArchive(withConnection(new Command('list'))))
    .description('Prints a line for each archived state of each item, without its content, the newest last.')
    .argument('[key]', 'only this item, as JSON')
    .option('--json', 'JSON lines for machines')
    .addHelpText('after', helpAfter)
    .action(list);
}

const helpAfter = `
A last state is the state in which an item ended. Examples and permissions: docs/archive.md. Exits 1 if nothing is found.`;

async function list(key: string | undefined, { json, ...options }: ListOptions): Promise<void> {
  await usingServices(openServices(options), async (services, { asked: stop }) => {
    const { reader, name } = await readArchive(options, services);
    const rules = await allRules();
    const selection = await selectionOf(rules, reader, key, options);
    // On a terminal, the printed lines already show progress.
    const bar = process.stdout.isTTY ? undefined : progressBar({ label: 'list', unit: 'items' });
    let items = 0;
    try {
      for await (const item of listItems(reader, rules.table, selection)) {
        if (stop()) break;
        if (items === 0 && !json && !isNarrow()) await print(stateHead);
        items += 1;
        bar?.update(items);
        for (const state of item.states)
          await print(
            json
              ? JSON.stringify(stateAsJson(rules.table, item, state))
              : stateLine(rules.table, item, state),
          );
      }
    } finally {
      bar?.stop();
    }
    const found = items > 0;
    if (!json) console.log(found ? `${counted(items, 'item')} in ${name}` : `No such item in ${name}`);
    process.exitCode = found && !stop() ? exitCodes.fine : exitCodes.failed;
  });
}

/** Waits until the line is written, so that a slow reader does not make a long listing pile up in memory. */
function print(line: string): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.write(`${visibleLine(line)}\n`)) resolve();
    else process.stdout.once('drain', resolve);
  });
}
