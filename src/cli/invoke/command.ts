import { Argument, type Command } from 'commander';
import { usageOf } from '../../deploy/usage.ts';
import { type FunctionName, functionNames, invokeOnce } from '../../develop/dev/invoke.ts';
import { invokeInContainer } from '../../develop/dev/sam/invoke-in-container.ts';
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
  readonly sam?: true;
  readonly stateDir: string;
}

/** Functions on a schedule. They accept any event, and have their own commands to run in this process. */
const scheduled = ['Sweep', 'Verify'] as const;

export function invokeCommand(command: Command): Command {
  return withRules(withStage(command))
    .addArgument(
      new Argument('<function>', 'its logical id in template.yaml').choices([...functionNames, ...scheduled]),
    )
    .argument('[event.json]', 'the event, as Lambda delivers it; optional for Sweep and Verify')
    .argument('[sam-options...]', 'with --sam, after `--`: more options for `sam local invoke`')
    .option(
      '--endpoint <url>',
      'a DynamoDB that runs on this machine (default: that of the stage `dev`, otherwise http://127.0.0.1:8000)',
    )
    .option('--table <name>', 'the table (default: that of the stage `dev`, otherwise `app`)')
    .option('--archive-dir <dir>', 'folder for the archive, instead of a bucket', '.denorm')
    .option('--json', 'the outcome as one JSON object for machines')
    .option('--sam', 'runs the built function in a container instead, by `sam local invoke`')
    .option(
      '--state-dir <dir>',
      'with --sam: the folder in which `denorm dev --sam` keeps its env file',
      '.denorm',
    )
    .addHelpText('after', helpAfter)
    .action(invoke);
}

const helpAfter = `
An event only says which items to look at: the worker computes each write from the table as it is now. Archive stores an item
that still matches the event; a later record stores an item that has changed since. Messages that are queued with a delay
(rechecks, retries) are listed, not awaited. The command exits 1 if a record or message fails or is left to a retry.

To see what an event would do without doing it, run \`denorm explain <event.json>\`.

With --sam, the function runs as deployed, against the table, queue and bucket that \`denorm dev --sam\` started. Of the other
options only --state-dir applies then. \`sam local invoke\` exits 0 whatever the function answers; this command prints the answer
and exits 1 if it is an error or names failed records.

Examples:
  $ denorm invoke Propagate events/propagate-post-modify.json
  $ denorm invoke Archive events/archive-post-expire.json --archive-dir .denorm
  $ denorm invoke Verify --sam
  $ denorm invoke Propagate events/propagate-post-modify.json --sam -- --debug-port 9229`;

async function invoke(
  name: FunctionName | (typeof scheduled)[number],
  file: string | undefined,
  more: readonly string[],
  options: InvokeOptions,
): Promise<void> {
  if (name === 'Archive' || name === 'Sweep') await requireFunction(name);
  if (options.sam === true) {
    // Without an event, the arguments after `--` start one position earlier.
    return file?.startsWith('-')
      ? inContainer(name, undefined, [file, ...more], options)
      : inContainer(name, file, more, options);
  }
  if (name === 'Sweep' || name === 'Verify')
    throw new UsageError(
      'usage.function',
      `Expected Propagate, Archive or FanOut, got ${name}: run \`denorm ${name.toLowerCase()}\`, or add --sam`,
    );
  if (file === undefined)
    throw new UsageError(
      'usage.event',
      `Expected an event for ${name}, got none: name a file, such as one in events/`,
    );
  return inProcess(name, file, options);
}

/** The template has these functions only if rules need them. */
async function requireFunction(name: 'Archive' | 'Sweep'): Promise<void> {
  const { archives, sweeps } = usageOf(await allRules());
  if (name === 'Archive' ? archives : sweeps) return;
  throw new UsageError(
    'usage.function',
    `Expected a function of this project, got ${name}: denorm.config.ts has no archive rule${name === 'Archive' ? '' : ' whose items age'}`,
  );
}

async function inContainer(
  name: string,
  file: string | undefined,
  more: readonly string[],
  { stateDir }: InvokeOptions,
): Promise<void> {
  // For a missing file, SAM CLI prints a stack trace.
  if (file !== undefined) await readJson(file, 'an event such as those in events/');
  const { answer, failure } = await invokeInContainer({ name, event: file, stateDir, more });
  if (answer !== '') console.log(answer);
  if (failure === undefined) return;
  warn(`${name} failed: ${failure}`);
  process.exitCode = exitCodes.failed;
}

async function inProcess(name: FunctionName, file: string, given: InvokeOptions): Promise<void> {
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

function summary(
  name: string,
  { failed, records }: Awaited<ReturnType<typeof invokeOnce>>,
  propagations: number,
): string {
  return `${name}: ${counted(records, 'record')}, ${counted(propagations, 'propagation')}, ${failed.length} failed`;
}
