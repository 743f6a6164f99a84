import { Command } from 'commander';
import { exitCodes } from '../errors.ts';
import { type ConsentOptions, requireConsent, withConsent } from '../options/consent.ts';
import { allRules } from '../options/rules-in-force.ts';
import { printSummary, printsJson } from '../output/json.ts';
import { nextCommand } from '../output/next-command.ts';
import {
  alikeIn,
  alikeJson,
  alikeText,
  countText,
  failuresIn,
  type LinesOptions,
  lineDetails,
  lineJson,
  linesNamed,
  linesOf,
  linesTable,
  listedText,
  noneText,
  selectedLines,
  withGroup,
  withLines,
} from './lines.ts';
import {
  type Failures,
  type FailuresOptions,
  nextDlqCommand,
  withFailures,
  withFailuresOptions,
} from './open-failures.ts';
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

interface ListOptions extends FailuresOptions, Pick<LinesOptions, 'rule' | 'code'> {
  readonly lines?: true;
}

/** So many are listed one by one. */
const fewLines = 20;

function listCommand(): Command {
  return withGroup(withFailuresOptions(new Command('list')))
    .description(
      `Prints what failed, in groups of a rule and code; up to ${fewLines} lines, each of a rule and key or a failed batch, one by one, the oldest first.`,
    )
    .option('--lines', 'each line, however many there are')
    .option('--json', 'JSON for machines, with all groups and lines')
    .action((options: ListOptions) =>
      withFailures(options, async ({ summarize, name, table, interruption }) => {
        const looked = await summarize();
        const { unseen, isWhole } = looked;
        const lines = await linesOf(looked, options);
        const groups = alikeIn(lines);
        const rules = await allRules();
        if (options.json)
          printSummary({
            groups: groups.map((group) => alikeJson(table, group)),
            lines: lines.map((line) => lineJson(table, line)),
            failures: failuresIn(lines),
            unseen,
          });
        else if (lines.length === 0) console.log(noneText(looked, name));
        else {
          const next = {
            dlq: (words: readonly string[]) => nextDlqCommand(words, options),
            repair: nextCommand(['repair'], options),
          };
          if (lines.length <= fewLines || options.lines) {
            console.log(linesTable(table, lines, Date.now()));
            console.log(next.dlq(['show', lines[0]?.id ?? '']));
          } else
            for (const group of groups)
              console.log(alikeText(table, group, Date.now(), rules, next).join('\n'));
          console.log(listedText(looked, lines, name, rules));
        }
        process.exitCode = isWhole && !interruption.stop() ? exitCodes.fine : exitCodes.failed;
      }),
    );
}

function showCommand(): Command {
  return withFailuresOptions(new Command('show'))
    .description(
      'Shows the details of one line: the propagations that it requests, or the records of a batch.',
    )
    .argument('<id>', 'the id of the line, or the key of its root as JSON')
    .option('--json', 'JSON for machines, with the messages of each line')
    .action((id: string, options: FailuresOptions) =>
      withFailures(options, async ({ look, table }) => {
        const lines = await linesNamed((await look()).groups, id);
        const details = await Promise.all(lines.map((line) => lineDetails(table, line, Date.now())));
        if (options.json) printSummary({ lines: details.map(({ json }) => json) });
        else console.log(details.map(({ text }) => text).join('\n\n'));
      }),
    );
}

interface DropOptions extends FailuresOptions, LinesOptions, ConsentOptions {}

function dropCommand(): Command {
  return withConsent(withLines(withFailuresOptions(new Command('drop'))))
    .description('Deletes dead letters and failed batches, and changes nothing else.')
    .option('--json', 'JSON for machines, with the dropped lines')
    .addHelpText(
      'after',
      '\nThe next change of the root, or `denorm repair`, does what a dropped dead letter requested.',
    )
    .action((options: DropOptions) => withFailures(options, (failures) => drop(failures, options)));
}

async function drop(failures: Failures, options: DropOptions): Promise<void> {
  const { reader, name, table, look, interruption } = failures;
  const looked = await look();
  const lines = await selectedLines(looked, options);
  const condemned = lines.flatMap((line) => line.deadLetters);
  if (condemned.length > 0) {
    if (options.yes !== true && !printsJson) console.error(linesTable(table, lines, Date.now()));
    await requireConsent(options, `it deletes ${countText(lines)} from ${name}`, 'look at them');
  }
  const isDropped = !interruption.stop();
  if (isDropped) await reader.remove(condemned);
  if (options.json) printSummary({ dropped: isDropped ? lines.map((line) => lineJson(table, line)) : [] });
  else if (condemned.length === 0) console.log(noneText(looked, name));
  else console.log(isDropped ? `dropped  ${countText(lines)}` : 'dropped  nothing');
  const isAll = looked.isWhole || options.id !== undefined;
  process.exitCode = isDropped && isAll ? exitCodes.fine : exitCodes.failed;
}
