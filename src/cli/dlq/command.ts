import { Command } from 'commander';
import { linesOf } from '../../dead-letters/dead-letter-groups.ts';
import { exitCodes } from '../errors.ts';
import { counted } from '../output/counted.ts';
import {
  type DeadLettersOptions,
  lookAtAll,
  withDeadLetters,
  withDeadLettersOptions,
} from './dead-letters.ts';
import { dropCommand } from './drop.ts';
import { deadLetterJson, deadLettersTable, deadLetterText, messagesOf } from './line.ts';
import { redriveDeadLettersCommand } from './redrive.ts';
import { linesCalled } from './selection.ts';

/** `denorm dlq` */
export function dlqCommand(): Command {
  return new Command('dlq')
    .description(
      'What only a person can mend: dead-lettered roots and dead messages, looked at, redriven, dropped.',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(redriveDeadLettersCommand())
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

interface ListOptions extends DeadLettersOptions {
  readonly json?: true;
}

function listCommand(): Command {
  return withDeadLettersOptions(new Command('list'))
    .description('One line for each rule and key, however often it was dead-lettered; the oldest first.')
    .option('--json', 'one JSON object, for machines')
    .action((options: ListOptions) =>
      withDeadLetters(options, async (deadLetters) => {
        const { deadLetters: found, unseen } = await lookAtAll(deadLetters);
        const lines = linesOf(found);
        if (options.json)
          console.log(
            JSON.stringify(
              { lines: lines.map(deadLetterJson), deadLetters: found.length, unseen },
              undefined,
              2,
            ),
          );
        else if (lines.length === 0) console.log(`Nothing lies in ${deadLetters.name}`);
        else {
          console.log(deadLettersTable(lines, Date.now()));
          console.log(
            `${counted(found.length, 'dead letter')} about ${counted(lines.length, 'thing')} in ${deadLetters.name}`,
          );
        }
        process.exitCode = deadLetters.interruption.asked() ? exitCodes.failed : exitCodes.fine;
      }),
    );
}

function showCommand(): Command {
  return withDeadLettersOptions(new Command('show'))
    .description('All that is known of one line, and the propagations that it asks for.')
    .argument('<id>', 'its id, or the key of its root as JSON')
    .option('--json', 'a JSON list, for machines')
    .action((id: string, options: ListOptions) =>
      withDeadLetters(options, async (deadLetters) => {
        const lines = linesCalled(linesOf((await lookAtAll(deadLetters)).deadLetters), id);
        if (options.json)
          console.log(
            JSON.stringify(
              lines.map((line) => ({ ...deadLetterJson(line), messages: messagesOf(line) })),
              undefined,
              2,
            ),
          );
        else console.log(lines.map((line) => deadLetterText(line, Date.now())).join('\n\n'));
      }),
    );
}
