import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { type DeadLetterGroup, groupDeadLetters } from '../../operate/dead-letters/dead-letter-groups.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { allRules } from '../options/rules-in-force.ts';
import { cursor } from '../output/terminal.ts';
import { counted } from '../output/text.ts';
import {
  type DeadLettersOptions,
  lookAtAll,
  type OpenDeadLetters,
  withDeadLetters,
  withDeadLettersOptions,
} from './dead-letters.ts';
import { deadLetterJson, deadLettersTable, type SelectionOptions, selected, withSelection } from './lines.ts';

interface DropOptions extends DeadLettersOptions, SelectionOptions {
  readonly yes?: true;
  readonly json?: true;
}

export function dropCommand(): Command {
  return withSelection(withDeadLettersOptions(new Command('drop')))
    .description('Deletes dead letters, and changes nothing else.')
    .option('--yes', 'does not ask for confirmation; required if there is no terminal')
    .option('--json', 'the dropped lines as one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action((options: DropOptions) => withDeadLetters(options, (deadLetters) => drop(deadLetters, options)));
}

const helpAfter = `
Copies stay as they are. The next change of the root, or \`denorm repair\`, does what a dropped dead letter requested.`;

async function drop(deadLetters: OpenDeadLetters, options: DropOptions): Promise<void> {
  const lines = await selected(
    groupDeadLetters((await lookAtAll(deadLetters)).deadLetters),
    options,
    await allRules(),
  );
  const condemned = lines.flatMap((line) => line.deadLetters);
  const agreed = condemned.length === 0 || options.yes === true || (await confirmed(deadLetters, lines));
  const isDropped = agreed && !deadLetters.interruption.asked();
  if (isDropped) await deadLetters.reader.remove(condemned);
  if (options.json)
    console.log(JSON.stringify({ dropped: isDropped ? lines.map(deadLetterJson) : [] }, undefined, 2));
  else if (condemned.length === 0) console.log(`No such dead letters in ${deadLetters.name}`);
  else console.log(isDropped ? `dropped  ${count(lines)}` : 'dropped  nothing');
  process.exitCode = isDropped ? exitCodes.fine : exitCodes.failed;
}

/**
 * Shows what would be deleted, and asks for confirmation.
 * @throws UsageError without an interactive terminal
 */
async function confirmed({ name }: OpenDeadLetters, lines: readonly DeadLetterGroup[]): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(
      'usage.yes',
      `Expected --yes, because there is no terminal to confirm on: the command would delete ${count(lines)} from ${name}`,
    );
  console.error(deadLettersTable(lines, Date.now()));
  const asking = createInterface({ input: process.stdin, output: cursor });
  const unasked = new AbortController();
  asking.on('SIGINT', () => unasked.abort());
  try {
    const question = `Delete ${count(lines)} from ${name}? [y/N] `;
    return /^y(es)?$/i.test((await asking.question(question, { signal: unasked.signal })).trim());
  } catch {
    return false;
  } finally {
    asking.close();
  }
}

function count(lines: readonly DeadLetterGroup[]): string {
  const deadLetters = lines.reduce((sum, line) => sum + line.deadLetters.length, 0);
  return `${counted(deadLetters, 'dead letter')} in ${counted(lines.length, 'line')}`;
}
