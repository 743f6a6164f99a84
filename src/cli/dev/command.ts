import { Command, InvalidArgumentError } from 'commander';
import { launcherPid } from '../../config.ts';
import { openDevEnvironment, templatePath } from '../../dev/dev-environment.ts';
import { requireFilters } from '../../dev/event-source/require-filters.ts';
import { type ForContainers, openForContainers } from '../../dev/sam/open-for-containers.ts';
import { envFile, samLocalInvoke, samProgram } from '../../dev/sam/sam-command.ts';
import { readTemplate } from '../../dev/template.ts';
import { loadRules } from '../../rules/index.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { keyJson } from '../options/item-key.ts';
import { propagationLine } from '../output/propagation-line.ts';
import { parentGone } from './parent-gone.ts';

interface DevOptions {
  readonly port?: number;
  readonly table: string;
  readonly dbPath?: string;
  readonly archiveDir: string;
  readonly stateDir: string;
  readonly endpoint?: string;
  readonly sam?: true;
  /** False where `--no-worker` was given. */
  readonly worker: boolean;
  readonly quiet?: true;
}

/** `denorm dev` */
export function devCommand(): Command {
  return new Command('dev')
    .description('Runs an embedded DynamoDB and the worker beside it, until Ctrl-C.')
    .option('--port <number>', 'where the DynamoDB API listens, on 127.0.0.1 (default: 8000)', portNumber)
    .option(
      '--table <name>',
      'the table; made as template.yaml has it where it does not exist',
      tableName,
      'app',
    )
    .option('--db-path <file>', 'keeps the data in this file (default: in memory)')
    .option('--archive-dir <dir>', 'holds archive/… as the bucket would', '.denorm')
    .option('--state-dir <dir>', 'holds dead letters and records that failed for good', '.denorm')
    .option('--endpoint <url>', 'a running DynamoDB on this machine, instead of the embedded one')
    .option(
      '--sam',
      'lets containers of `sam local invoke` reach the table, with a queue and a bucket beside it, and prints the command',
    )
    .option('--no-worker', 'runs the table alone, so that there is work left for functions that you invoke')
    .option('--quiet', 'prints nothing but the ready line')
    .addHelpText('after', helpAfter)
    .action(dev);
}

const helpAfter = `
When it is ready it prints one line, \`ready http://127.0.0.1:8000 table app\`. Each propagation prints one as well: rule, root,
cause, copies written, unchanged, lost and retried, and the milliseconds since the record was fetched. It reads the stream
from its oldest record (those propagations may come before the ready line), expires items whose time has passed, and keeps nothing
but the table, the archive, and what --state-dir holds. It is a development tool: it works on this machine only.

With --sam, the queue and the bucket are MiniStack's (\`npm run setup:sam\`), and what listens is reached from this machine and
its containers only. The file \`sam-env.json\` in --state-dir, for \`sam local invoke --env-vars\`, is removed when this ends. With
--no-worker nothing is propagated, archived or expired; without it, a function in a container finds its work already done.

Example, in another terminal; the embedded DynamoDB takes any region and credentials:
  $ export AWS_DEFAULT_REGION=us-east-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  $ aws dynamodb put-item --endpoint-url http://127.0.0.1:8000 --table-name app --item file://item.json`;

async function dev(options: DevOptions): Promise<void> {
  if (options.endpoint !== undefined && (options.port !== undefined || options.dbPath !== undefined))
    throw new UsageError(
      'usage.endpoint',
      'Expected --endpoint alone, got it with --port or --db-path: those are for the embedded DynamoDB, leave them out',
    );
  const registry = loadRules({ statusShards: 1, disabled: [] });
  const template = readTemplate(templatePath);
  requireFilters(registry, template);
  const stop = asked();
  const devEnvironment = await openDevEnvironment({
    ...{ registry, template },
    ...(options.endpoint === undefined ? { port: options.port ?? 8000 } : { endpoint: options.endpoint }),
    ...(options.dbPath !== undefined && { dbPath: options.dbPath }),
    tableName: options.table,
    archiveDir: options.archiveDir,
    stateDir: options.stateDir,
    worker: options.worker,
    ...(!options.quiet && {
      onPropagation: (report, milliseconds) => console.log(propagationLine(report, milliseconds)),
      onDeadLettered: ({ code, reason, message }) =>
        console.log(
          `dead-lettered  ${code}  ${message ? `${message.rule}  ${keyJson(message.root)}  ` : ''}${reason}`,
        ),
    }),
    onFailed: (reason) => console.error(`denorm: ${reason}`),
  });
  let containers: ForContainers | undefined;
  try {
    if (options.sam === true)
      containers = await openForContainers({
        ...{
          endpoint: devEnvironment.endpoint,
          tableName: options.table,
          stateDir: options.stateDir,
          template,
        },
      });
    console.log(`ready ${devEnvironment.endpoint} table ${options.table}`);
    if (containers !== undefined && !options.quiet) console.log(howToInvoke(containers, options.stateDir));
    await Promise.race([
      stop,
      devEnvironment.failed,
      ...(containers === undefined ? [] : [containers.failed]),
    ]);
  } finally {
    await containers?.close();
    await devEnvironment.close();
  }
  process.exitCode = exitCodes.fine;
}

/** What to type in another terminal, on this platform. */
function howToInvoke({ reach, servicesEndpoint }: ForContainers, stateDir: string): string {
  const event = 'events/incident-closed.json';
  return `queue and bucket at ${servicesEndpoint}, in memory; settings for containers in ${envFile(stateDir)}

In another terminal, in this folder, after \`npm run build:sam\`:
  ${[samProgram(), ...samLocalInvoke('Propagate', event, stateDir, reach)].join(' ')}
That exits 0 even where the function failed: look for "errorType", and for "batchItemFailures" that are not empty. Or let
this run it, which says what is missing, and exits 1 where the function failed:
  npx denorm invoke Propagate ${event} --sam
`;
}

/** Resolves when somebody asks to stop, or when the process that started this one is gone. Ctrl-C may come twice. */
function asked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    parentGone(launcherPid(), resolve);
  });
}

function tableName(text: string): string {
  if (/^[\w.-]{3,255}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected 3 to 255 dead letters, digits, and _ - . between them.');
}

export function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port from 1 to 65535.');
}
