import { Command } from 'commander';
import { exitCodes } from '../errors.ts';
import { dropCommand } from './drop.ts';
import { countText, detailsOf, failuresIn, lineJson, linesCalled, linesTable, noneText } from './lines.ts';
import { type FailuresOptions, withFailures, withFailuresOptions } from './open-failures.ts';
import { redriveCommand } from './redrive.ts';

export function dlqCommand(command: Command): Command {
  return command
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(redriveCommand())
    .addCommand(dropCommand())
    .addHelpText(
      'after',
      '\nWhat failed are dead letters, and batches that Lambda put into the failure bucket. Without a stack: the folder of `denorm dev`. Permissions and examples: docs/runbook.md#deadlettersalarm.',
    );
}

interface ListOptions extends FailuresOptions {
  readonly json?: true;
}

function listCommand(): Command {
  return withFailuresOptions(new Command('list'))
    .description(
      'Prints a line for each rule and key with dead letters, and for each failed batch, the oldest first.',
    )
    .option('--json', 'one JSON object for machines')
    .action((options: ListOptions) =>
      withFailures(options, async ({ look, name, table, interruption }) => {
        const looked = await look();
        const { groups, unseen, isWhole } = looked;
        if (options.json)
          print({
            lines: groups.map((group) => lineJson(table, group)),
            failures: failuresIn(groups),
            unseen,
          });
        else if (groups.length === 0) console.log(noneText(looked, name));
        else {
          console.log(linesTable(table, groups, Date.now()));
          console.log(`${countText(groups)} in ${name}`);
        }
        process.exitCode = isWhole && !interruption.asked() ? exitCodes.fine : exitCodes.failed;
      }),
    );
}

function showCommand(): Command {
  return withFailuresOptions(new Command('show'))
    .description(
      'Shows the details of one line: the propagations that it requests, or the records of a batch.',
    )
    .argument('<id>', 'the id of the line, or the key of its root as JSON')
    .option('--json', 'a JSON list for machines')
    .action((id: string, options: ListOptions) =>
      withFailures(options, async ({ look, table }) => {
        const lines = await linesCalled((await look()).groups, id);
        const details = await Promise.all(lines.map((line) => detailsOf(table, line, Date.now())));
        if (options.json) print(details.map(({ json }) => json));
        else console.log(details.map(({ text }) => text).join('\n\n'));
      }),
    );
}

function print(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2));
}
