import { Command } from 'commander';
import { linesOf } from '../../dead-letters/dead-letter-groups.ts';
import { counted } from '../output/counted.ts';
import { dropCommand } from './drop.ts';
import { type LettersOptions, lookAtAll, withLetters, withLettersOptions } from './dead-letters.ts';
import { letterJson, lettersTable, letterText, messagesOf } from './line.ts';
import { redriveLettersCommand } from './redrive.ts';
import { linesCalled } from './selection.ts';
import { exitCodes } from '../errors.ts';

/** `denorm dlq` */
export function dlqCommand(): Command {
  return new Command('dlq')
    .description('What only a person can mend: parked roots and dead messages, looked at, redriven, dropped.')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(redriveLettersCommand())
    .addCommand(dropCommand())
    .addHelpText('after', helpAfter);
}

const helpAfter = `
With --stack, the dead-letter queue of a deployed stack; without, the folder of \`denorm dev\`. SQS shows a message only by
hiding it from others: what is listed is hidden for a moment and given back, also on Ctrl-C; where the command is killed,
it comes back within five minutes. Keys, rules, codes and counts are shown, never what an item holds.

A stack asks of you: cloudformation:DescribeStacks; on the dead-letter queue sqs:ReceiveMessage, sqs:ChangeMessageVisibility
and sqs:GetQueueAttributes; to redrive and drop sqs:DeleteMessage; to redrive sqs:SendMessage on the fan-out queue and
lambda:GetFunctionConfiguration on Propagate, which says which rules are switched off.

Examples:
  $ denorm dlq list --stack denorm-prod
  $ denorm dlq show 3f2a9c01b7de --stack denorm-prod
  $ denorm dlq redrive --rule incident-on-participations --stack denorm-prod
  $ denorm dlq drop --id 3f2a --stack denorm-prod`;

interface ListOptions extends LettersOptions {
  readonly json?: true;
}

function listCommand(): Command {
  return withLettersOptions(new Command('list'))
    .description('One line for each rule and key, however often it was parked; the oldest first.')
    .option('--json', 'one JSON object, for machines')
    .action((options: ListOptions) =>
      withLetters(options, async (letters) => {
        const { letters: found, unseen } = await lookAtAll(letters);
        const lines = linesOf(found);
        if (options.json)
          console.log(
            JSON.stringify({ lines: lines.map(letterJson), letters: found.length, unseen }, undefined, 2),
          );
        else if (lines.length === 0) console.log(`Nothing lies in ${letters.name}`);
        else {
          console.log(lettersTable(lines, Date.now()));
          console.log(
            `${counted(found.length, 'letter')} about ${counted(lines.length, 'thing')} in ${letters.name}`,
          );
        }
        process.exitCode = letters.interruption.asked() ? exitCodes.failed : exitCodes.fine;
      }),
    );
}

function showCommand(): Command {
  return withLettersOptions(new Command('show'))
    .description('All that is known of one line, and the turns that it asks for.')
    .argument('<id>', 'its id, or the key of its root as JSON')
    .option('--json', 'a JSON list, for machines')
    .action((id: string, options: ListOptions) =>
      withLetters(options, async (letters) => {
        const lines = linesCalled(linesOf((await lookAtAll(letters)).letters), id);
        if (options.json)
          console.log(
            JSON.stringify(
              lines.map((line) => ({ ...letterJson(line), messages: messagesOf(line) })),
              undefined,
              2,
            ),
          );
        else console.log(lines.map((line) => letterText(line, Date.now())).join('\n\n'));
      }),
    );
}
