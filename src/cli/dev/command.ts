import type { Command } from 'commander';
import { stackSettings, type TableDefinition } from '../../deploy/stack-settings.ts';
import { openDevEnvironment } from '../../dev/dev-environment.ts';
import type { DevEvents } from '../../dev/dev-functions.ts';
import { eventCapture } from '../../dev/event-capture.ts';
import { isLoopback, loopbackClientSettings } from '../../dev/loopback.ts';
import { type ForContainers, openForContainers } from '../../dev/sam/open-for-containers.ts';
import { importExport } from '../../dev/table/import-export.ts';
import { unansweredRules } from '../../dev/unanswered-rules.ts';
import { counted } from '../../model/basics/text.ts';
import type { KeyedItem } from '../../model/items/item.ts';
import type { Stage } from '../../model/rules/config.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { connect } from '../../operate/adapters/connection.ts';
import { devPage } from '../../page/dev-page.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { Interrupted } from '../../worker/scan/metered-table.ts';
import { sampleItems } from '../check/sample-items.ts';
import { wholeEnvironment } from '../environment.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { untilAsked } from '../interruption.ts';
import { tableName } from '../options/arguments.ts';
import { devStateOf } from '../options/dev-state.ts';
import { portNumber } from '../options/option-values.ts';
import {
  allRules,
  digestOf,
  localSettings,
  type RulesOptions,
  withRules,
} from '../options/rules-in-force.ts';
import { devTableName, orDevStage, stageOf, withStage } from '../options/stage.ts';
import { type StateOptions, withState } from '../options/state.ts';
import { archiveLine, deadLetterLine, propagationLine } from '../output/lines.ts';
import { say, warn } from '../output/terminal.ts';
import { project } from '../project.ts';
import { wantedStack } from '../template/project-templates.ts';
import { howToInvoke, welcome } from './instructions.ts';
import { KindWatch } from './kind-watch.ts';
import { sayFinding, sayFindings } from './project-check.ts';

interface DevOptions extends RulesOptions, StateOptions {
  readonly port?: number;
  readonly table?: string;
  readonly dbPath?: string;
  readonly import?: string;
  readonly endpoint?: string;
  readonly sam?: true;
  readonly seed?: readonly string[];
  readonly worker: boolean;
  readonly capture?: string;
  readonly check: boolean;
  readonly page: boolean;
}

export function devCommand(command: Command): Command {
  return withState(withRules(withStage(command)), 'folder for the archive, dead letters and failed batches')
    .option(
      '--port <number>',
      'port of the DynamoDB API on 127.0.0.1 (default: that of the stage `dev`, otherwise 8000)',
      portNumber,
    )
    .option(
      '--table <name>',
      'the table; created as denorm.config.ts defines it if it does not exist (default: that of the stage `dev`, otherwise `app`)',
      tableName,
    )
    .option('--db-path <file>', 'keeps the table in this file (default: a temporary one)')
    .option('--import <dir>', 'begins with the items of an export of a table to S3, copied to this folder')
    .option('--endpoint <url>', 'a DynamoDB that already runs on this machine, instead of the embedded one')
    .option(
      '--sam',
      'also starts a queue and a bucket of MiniStack, lets `sam local invoke` containers reach all three, and prints the command',
    )
    .option(
      '--seed <event.json>',
      'puts the items of an event into the table, as it leaves them; repeatable, and --sam invokes the first',
      (file: string, others: readonly string[] = []) => [...others, file],
    )
    .option('--no-worker', 'runs only the table, and leaves the work to functions that you invoke')
    .option(
      '--capture <dir>',
      'keeps the newest event of each function, kind and sort of change in this folder',
    )
    .option('--no-check', 'leaves out the checks of `denorm check`, and the compiler')
    .option('--no-page', 'serves no page that shows each change as it travels')
    .addHelpText('after', helpAfter)
    .action(dev);
}

const helpAfter = `
Prints \`ready http://127.0.0.1:8000 table app\`, the address of a page that only you can open, a line
that leads other terminals here, and a line for each propagation and each archived state. Then prints
what \`denorm check\` finds, on stderr. Items expire when their time has passed. With --db-path, the
next run continues where this one ended, unless the rules have changed. Works only on this machine.

--import takes a full export in DYNAMODB_JSON. Its items are not propagated, and expire only in the
next run: docs/operations.md.

--capture writes events as Lambda would deliver them, with item content; \`denorm explain\` and
\`sam local invoke\` take them. For --sam, see docs/deploy.md: without --no-worker, a function in a
container finds its work already done.

Example, in another terminal, after the line that it prints:
  $ aws dynamodb put-item --table-name app --item file://item.json`;

async function dev(given: DevOptions): Promise<void> {
  const options = await orDevStage(given);
  const stage = await stageOf(options);
  const table = options.table ?? (await devTableName(stage));
  if (options.endpoint !== undefined && (options.port ?? options.dbPath ?? options.import) !== undefined)
    throw new UsageError(
      'usage.endpoint',
      'Expected --endpoint alone, got it with --port, --db-path or --import, which configure the embedded DynamoDB: leave them out',
    );
  const target = await project();
  const settings = await localSettings(options);
  const registry = target.config.registry(settings);
  const { table: names } = registry;
  const stack = stackSettings(wantedStack(target, settings.parameters));
  const stop = untilAsked();
  const { dbPath } = options;
  const port = options.port ?? localPort(stage) ?? 8000;
  const stateDir = await devStateOf(options, {
    table,
    dbPath,
    endpoint: options.endpoint ?? `http://127.0.0.1:${port}`,
  });
  const opened = { registry, stack, tableName: table, stateDir };
  const page = options.page ? devPage(opened) : undefined;
  const kinds = options.check ? new KindWatch(registry, sayFinding) : undefined;
  const events: DevEvents = {
    onPropagation: (report, milliseconds) => say(propagationLine(names, report, milliseconds)),
    onArchived: (report, milliseconds) => say(archiveLine(names, report, milliseconds)),
    onDeadLettered: (deadLettered) => say(deadLetterLine(names, deadLettered)),
    ...(options.capture !== undefined && { onInvoked: eventCapture(options.capture, registry) }),
    onReadAnew: () =>
      warn(
        'the rules or the table have changed since the last run with this file: its whole stream is read again',
      ),
    onFailed: warn,
    onChange: ({ key, after }) => after && kinds?.written({ key, item: after }),
  };
  const devEnvironment = await openDevEnvironment({
    ...opened,
    ...(page === undefined ? events : { ...page.heard(events), watch: page.watch }),
    ...(options.endpoint === undefined ? { port } : { endpoint: options.endpoint }),
    ...(dbPath !== undefined && { dbPath }),
    ...(options.import !== undefined && { fill: fillFrom(options.import, table, stack.table, stop) }),
    rulesDigest: digestOf(target.config, registry, settings),
    worker: options.worker,
  });
  let containers: ForContainers | undefined;
  const { seed: files = [] } = options;
  let stopCheck = () => {};
  try {
    if (options.sam === true)
      containers = await openForContainers(devEnvironment.endpoint, opened, wholeEnvironment());
    const { endpoint } = devEnvironment;
    let invoked = 'Propagate';
    // Imported here, because few need it.
    if (files.length > 0)
      invoked = await (await import('./seed.ts')).seed(files, registry, { endpoint, tableName: table });
    console.log(`ready ${endpoint} table ${table}`);
    const unanswered = options.endpoint === undefined ? unansweredRules(registry) : [];
    if (unanswered.length > 0)
      warn(
        `${unanswered.join(', ')} cannot run here, because the embedded server answers no query of an index of several attributes: give --endpoint of MiniStack`,
      );
    if (page !== undefined) sayPage(await page.open(devEnvironment));
    const { rules, aggregates, archives } = registry;
    console.log(welcome(rules.length + aggregates.length + archives.length, endpoint, table, stateDir));
    kinds?.found(await itemsAt(endpoint, table, registry));
    if (options.check) stopCheck = sayFindings(await allRules(options), target, settings.parameters);
    if (containers !== undefined) console.log(howToInvoke(containers, stateDir, invoked, files));
    const why = await Promise.race([
      stop,
      devEnvironment.failed,
      ...(containers === undefined ? [] : [containers.failed]),
    ]);
    console.error(`denorm: ends because of ${why}`);
    const unmatched = kinds?.unmatched();
    if (unmatched !== undefined) warn(unmatched);
  } finally {
    stopCheck();
    await page?.close();
    await containers?.close();
    await devEnvironment.close();
  }
  process.exitCode = exitCodes.fine;
}

/** Some of the items that the table has when it is ready, as `denorm check` reads them. */
async function itemsAt(
  endpoint: string,
  tableName: string,
  { table }: Registry,
): Promise<readonly KeyedItem[]> {
  const connection = connect(loopbackClientSettings(endpoint));
  try {
    return await sampleItems(dynamoDbScan({ client: connection.dynamoDb, tableName, table }), sampleSize);
  } finally {
    connection.close();
  }
}

const sampleSize = 400;

/** Imports an export into the embedded server's file, unless asked to stop. */
function fillFrom(from: string, tableName: string, definition: TableDefinition, stop: Promise<string>) {
  return async (file: string) => {
    const stopped = new AbortController();
    stop.then(() => stopped.abort());
    const { signal } = stopped;
    warn(`imports ${from}: until it is ready, there is no table`);
    const started = performance.now();
    const importing = importExport(file, { from, tableName, definition, signal });
    const { items, at = 'an unknown time' } = await importing.catch((error: unknown) => {
      throw signal.aborted ? new Interrupted() : error;
    });
    const seconds = Math.round((performance.now() - started) / 1000);
    warn(`imported ${counted(items, 'item')} as of ${at}, in ${seconds} s`);
  };
}

function sayPage(url: string | undefined): void {
  if (url === undefined)
    console.error('denorm: serves no page: the twenty ports after its own are all taken');
  else console.log(`page ${url}`);
}

function localPort({ endpoint }: Stage): number | undefined {
  return endpoint !== undefined && isLoopback(endpoint)
    ? Number(new URL(endpoint).port) || undefined
    : undefined;
}
