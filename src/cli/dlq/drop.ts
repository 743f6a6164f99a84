import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import type { DeadLetterGroup } from '../../operate/dead-letters/dead-letter-groups.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { cursor } from '../output/terminal.ts';
import { countText, lineJson, linesTable, type SelectionOptions, selected, withSelection } from './lines.ts';
import { type Failures, type FailuresOptions, withFailures, withFailuresOptions } from './open-failures.ts';

interface DropOptions extends FailuresOptions, SelectionOptions {
  readonly yes?: true;
  readonly json?: true;
}

export function dropCommand(): Command {
  return withSelection(withFailuresOptions(new Command('drop')))
    .description('Deletes dead letters and failed batches, and changes nothing else.')
    .option('--yes', 'does not ask for confirmation; required if there is no terminal')
    .option('--json', 'the dropped lines as one JSON object for machines')
    .addHelpText(
      'after',
      '\nThe next change of the root, or `denorm repair`, does what a dropped dead letter requested.',
    )
    .action((options: DropOptions) => withFailures(options, (failures) => drop(failures, options)));
}

async function drop(failures: Failures, options: DropOptions): Promise<void> {
  const { reader, name, look, interruption } = failures;
  const lines = await selected((await look()).groups, options);
  const condemned = lines.flatMap((line) => line.deadLetters);
  const agreed = condemned.length === 0 || options.yes === true || (await confirmed(name, lines));
  const isDropped = agreed && !interruption.asked();
  if (isDropped) await reader.remove(condemned);
  if (options.json)
    console.log(JSON.stringify({ dropped: isDropped ? lines.map(lineJson) : [] }, undefined, 2));
  else if (condemned.length === 0) console.log(`No such failures in ${name}`);
  else console.log(isDropped ? `dropped  ${countText(lines)}` : 'dropped  nothing');
  process.exitCode = isDropped ? exitCodes.fine : exitCodes.failed;
}

/**
 * Shows what would be deleted, and asks for confirmation.
 * @throws UsageError without an interactive terminal
 */
async function confirmed(name: string, lines: readonly DeadLetterGroup[]): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(
      'usage.yes',
      `Expected --yes, because there is no terminal to confirm on: the command would delete ${countText(lines)} from ${name}`,
    );
  console.error(linesTable(lines, Date.now()));
  const asking = createInterface({ input: process.stdin, output: cursor });
  const unasked = new AbortController();
  asking.on('SIGINT', () => unasked.abort());
  try {
    const question = `Delete ${countText(lines)} from ${name}? [y/N] `;
    return /^y(es)?$/i.test((await asking.question(question, { signal: unasked.signal })).trim());
  } catch {
    return false;
  } finally {
    asking.close();
  }
}
