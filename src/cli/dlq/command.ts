import { Command } from 'commander';
import { groupDeadLetters } from '../../operate/dead-letters/dead-letter-groups.ts';
import { exitCodes } from '../errors.ts';
import { counted } from '../output/text.ts';
import {
  type DeadLettersOptions,
  lookAtAll,
  withDeadLetters,
  withDeadLettersOptions,
} from './dead-letters.ts';
import { dropCommand } from './drop.ts';
import { deadLetterJson, deadLettersTable, deadLetterText, linesCalled, messagesOf } from './lines.ts';
import { redriveDeadLettersCommand } from './redrive.ts';

export function dlqCommand(command: Command): Command {
  return command
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(redriveDeadLettersCommand())
    .addCommand(dropCommand())
    .addHelpText('after', helpAfter);
}

const helpAfter = `
With --stack, the command reads the dead-letter queue of a deployed stack; without it, the folder of \`denorm dev\`. SQS returns a
message only by hiding it from other readers: the command makes the messages visible again at its end and on Ctrl-C. If it is
killed, they become visible within five minutes. The output contains keys, rules, codes and counts, never item content.

Required on AWS: cloudformation:DescribeStacks; sqs:ReceiveMessage, sqs:ChangeMessageVisibility and sqs:GetQueueAttributes on the
dead-letter queue; to redrive or drop also sqs:DeleteMessage; to redrive also sqs:SendMessage on the fan-out queue, and
lambda:GetFunctionConfiguration on Propagate, whose settings name the disabled rules.

Examples:
  $ denorm dlq list --stack denorm-prod
  $ denorm dlq show 3f2a9c01b7de --stack denorm-prod
  $ denorm dlq redrive --rule author-on-posts --stack denorm-prod
  $ denorm dlq drop --id 3f2a --stack denorm-prod`;

interface ListOptions extends DeadLettersOptions {
  readonly json?: true;
}

function listCommand(): Command {
  return withDeadLettersOptions(new Command('list'))
    .description('Prints one line for each rule and key with dead letters, the oldest first.')
    .option('--json', 'one JSON object for machines')
    .action((options: ListOptions) =>
      withDeadLetters(options, async (deadLetters) => {
        const { deadLetters: found, unseen } = await lookAtAll(deadLetters);
        const lines = groupDeadLetters(found);
        if (options.json)
          console.log(
            JSON.stringify(
              { lines: lines.map(deadLetterJson), deadLetters: found.length, unseen },
              undefined,
              2,
            ),
          );
        else if (lines.length === 0) console.log(`No dead letters in ${deadLetters.name}`);
        else {
          console.log(deadLettersTable(lines, Date.now()));
          console.log(
            `${counted(found.length, 'dead letter')} in ${counted(lines.length, 'line')} in ${deadLetters.name}`,
          );
        }
        process.exitCode = deadLetters.interruption.asked() ? exitCodes.failed : exitCodes.fine;
      }),
    );
}

function showCommand(): Command {
  return withDeadLettersOptions(new Command('show'))
    .description('Shows the details of one line, and the propagations that it requests.')
    .argument('<id>', 'the id of the line, or the key of its root as JSON')
    .option('--json', 'a JSON list for machines')
    .action((id: string, options: ListOptions) =>
      withDeadLetters(options, async (deadLetters) => {
        const lines = await linesCalled(groupDeadLetters((await lookAtAll(deadLetters)).deadLetters), id);
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
