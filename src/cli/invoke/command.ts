import { Argument, type Command } from 'commander';
import { usageOf } from '../../deploy/usage.ts';
import { type FunctionName, functionNames, invokeOnce } from '../../develop/dev/invoke.ts';
import type { DeadLetter } from '../../model/message.ts';
import type { ArchiveReport, PropagationReport } from '../../model/report.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { readJson } from '../options/arguments.ts';
import { allRules, localRules, type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { orDevStage, stageOf, withStage } from '../options/stage.ts';
import { archiveLine, deadLetterLine, propagationLine } from '../output/lines.ts';
import { say, warn } from '../output/terminal.ts';
import { counted, keyJson } from '../output/text.ts';

interface InvokeOptions extends RulesOptions {
  readonly endpoint?: string;
  readonly table?: string;
  readonly archiveDir: string;
  readonly json?: true;
}

export function invokeCommand(command: Command): Command {
  return withRules(withStage(command))
    .addArgument(new Argument('<function>', 'its logical id in template.yaml').choices([...functionNames]))
    .argument('<event.json>', 'the event, as Lambda delivers it')
    .option(
      '--endpoint <url>',
      'a DynamoDB that runs on this machine (default: that of the stage `dev`, otherwise http://127.0.0.1:8000)',
    )
    .option('--table <name>', 'the table (default: that of the stage `dev`, otherwise `app`)')
    .option('--archive-dir <dir>', 'folder for the archive, instead of a bucket', '.denorm')
    .option('--json', 'the outcome as one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action(invoke);
}

const helpAfter = `
An event only says which items to look at: the worker computes each write from the table as it is now. Archive stores an item
that still matches the event; a later record stores an item that has changed since. Messages that are queued with a delay
(rechecks, retries) are listed, not awaited. The command exits 1 if a record or message fails or is left to a retry.

To see what an event would do without doing it, run \`denorm explain <event.json>\`.

To run the built function in a container, see \`denorm dev --sam\`. Sweep and Verify have commands of their own.

Examples:
  $ denorm invoke Propagate events/propagate-post-modify.json
  $ denorm invoke Archive events/archive-post-expire.json --archive-dir .denorm`;

async function invoke(name: FunctionName, file: string, given: InvokeOptions): Promise<void> {
  if (name === 'Archive') await requireArchive();
  const options = await orDevStage(given);
  const stage = await stageOf(options);
  const event = await readJson(file, 'an event such as those in events/');
  const propagations: { report: PropagationReport; milliseconds: number }[] = [];
  const deadLettered: DeadLetter[] = [];
  const archived: ArchiveReport[] = [];
  const outcome = await invokeOnce({
    registry: await localRules(options),
    name,
    event,
    endpoint: options.endpoint ?? stage.endpoint ?? 'http://127.0.0.1:8000',
    tableName: options.table ?? stage.table ?? 'app',
    archiveDir: options.archiveDir,
    stateDir: '.denorm',
    onPropagation: (report, milliseconds) => propagations.push({ report, milliseconds }),
    onDeadLettered: (thing) => deadLettered.push(thing),
    onArchived: (report) => archived.push(report),
    onFailed: warn,
  });
  if (options.json) {
    console.log(
      JSON.stringify(
        { propagations: propagations.map(({ report }) => report), archived, deadLettered, ...outcome },
        null,
        2,
      ),
    );
  } else {
    for (const line of [
      ...propagations.map(({ report, milliseconds }) => propagationLine(report, milliseconds)),
      ...archived.map(archiveLine),
      ...deadLettered.map((one) => deadLetterLine(one)),
    ])
      say(line);
    for (const { message, delaySeconds } of outcome.delayed)
      say(
        `not awaited: ${message.rule}  ${keyJson(message.root)}  ${message.recheck ? 'recheck' : 'retry'} in ${delaySeconds} s`,
      );
    console.log(summary(name, outcome, propagations.length));
  }
  const retries = outcome.delayed.some(({ message }) => message.recheck !== true);
  process.exitCode = outcome.failed.length > 0 || retries ? exitCodes.failed : exitCodes.fine;
}

/** The template has this function only if rules need it. */
async function requireArchive(): Promise<void> {
  if (usageOf(await allRules()).archives) return;
  throw new UsageError(
    'usage.function',
    'Expected a function of this project, got Archive: denorm.config.ts has no archive rule',
  );
}

function summary(
  name: string,
  { failed, records }: Awaited<ReturnType<typeof invokeOnce>>,
  propagations: number,
): string {
  return `${name}: ${counted(records, 'record')}, ${counted(propagations, 'propagation')}, ${failed.length} failed`;
}
