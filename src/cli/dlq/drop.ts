import { Command } from 'commander';
import { exitCodes, UsageError } from '../errors.ts';
import {
  countText,
  lineJson,
  linesTable,
  noneText,
  type SelectionOptions,
  selected,
  withSelection,
} from './lines.ts';
import { type Failures, type FailuresOptions, withFailures, withFailuresOptions } from './open-failures.ts';

interface DropOptions extends FailuresOptions, SelectionOptions {
  readonly yes?: true;
  readonly json?: true;
}

export function dropCommand(): Command {
  return withSelection(withFailuresOptions(new Command('drop')))
    .description('Deletes dead letters and failed batches, and changes nothing else.')
    .option('--yes', 'deletes; without it, the command prints what it would delete')
    .option('--json', 'the dropped lines as one JSON object for machines')
    .addHelpText(
      'after',
      '\nThe next change of the root, or `denorm repair`, does what a dropped dead letter requested.',
    )
    .action((options: DropOptions) => withFailures(options, (failures) => drop(failures, options)));
}

async function drop(failures: Failures, options: DropOptions): Promise<void> {
  const { reader, name, table, look, interruption } = failures;
  const looked = await look();
  const lines = await selected(looked.groups, options);
  const condemned = lines.flatMap((line) => line.deadLetters);
  if (condemned.length > 0 && options.yes !== true) {
    console.error(linesTable(table, lines, Date.now()));
    throw new UsageError(
      'usage.yes',
      `Expected --yes, because the command would delete ${countText(lines)} from ${name}: look at them, then add --yes`,
    );
  }
  const isDropped = !interruption.asked();
  if (isDropped) await reader.remove(condemned);
  if (options.json)
    console.log(
      JSON.stringify({ dropped: isDropped ? lines.map((line) => lineJson(table, line)) : [] }, undefined, 2),
    );
  else if (condemned.length === 0) console.log(noneText(looked, name));
  else console.log(isDropped ? `dropped  ${countText(lines)}` : 'dropped  nothing');
  const isAll = looked.isWhole || options.id !== undefined;
  process.exitCode = isDropped && isAll ? exitCodes.fine : exitCodes.failed;
}
