import { join } from 'node:path';
import type { Command } from 'commander';
import { checkRegistry } from '../../check/check-project.ts';
import type { Finding } from '../../check/finding.ts';
import { stackSettings, type TableDefinition } from '../../deploy/stack-settings.ts';
import { openDevEnvironment } from '../../dev/dev-environment.ts';
import { type DevEvents, localEvidence } from '../../dev/dev-functions.ts';
import { messageOf } from '../../dev/errors.ts';
import { eventCapture } from '../../dev/event-capture.ts';
import { isLoopback, localRegion, loopbackClientSettings } from '../../dev/loopback.ts';
import { type ForContainers, openForContainers } from '../../dev/sam/open-for-containers.ts';
import { baseImage, envFileName, samLocalInvoke } from '../../dev/sam/sam-command.ts';
import { unansweredRules } from '../../dev/table/embedded-table-server.ts';
import { importExport } from '../../dev/table/import-export.ts';
import { askedBy } from '../../explain/dry-run/planner.ts';
import { readEvent } from '../../explain/explain.ts';
import { counted, visible } from '../../model/basics/text.ts';
import { type KeyedItem, keyText } from '../../model/items/item.ts';
import type { RuleSettings, Stage } from '../../model/rules/config.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { subjectOf } from '../../model/work/message.ts';
import { connect } from '../../operate/adapters/connection.ts';
import { dynamoDbPut } from '../../operate/adapters/dynamodb/write-item.ts';
import { devPage } from '../../page/dev-page.ts';
import { dynamoDbTable } from '../../worker/adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { Interrupted } from '../../worker/scan/metered-table.ts';
import { whatIsChecked } from '../check/command.ts';
import { templateFindings } from '../check/template-findings.ts';
import { canCheckTypes, typeErrors } from '../check/type-errors.ts';
import { wholeEnvironment } from '../environment.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { untilAsked } from '../interruption.ts';
import { readJson, tableNameArgument } from '../options/arguments.ts';
import { portNumber } from '../options/option-values.ts';
import {
  allRules,
  digestInForce,
  localSettings,
  type RulesOptions,
  withRules,
} from '../options/rules-in-force.ts';
import { devTableName, orDevStage, stageOf, withStage } from '../options/stage.ts';
import { devStateOf, type StateOptions, withState } from '../options/state.ts';
import { archiveLine, deadLetterLine, propagationLine } from '../output/lines.ts';
import { nextCommand } from '../output/next-command.ts';
import { say, styled, warn } from '../output/terminal.ts';
import { keyJson } from '../output/text.ts';
import { type Project, project } from '../project.ts';
import { sampleItems } from '../sample-items.ts';
import { wantedStack } from '../template/project-templates.ts';
import { bursts } from './bursts.ts';
import { kindWatch } from './kind-watch.ts';

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
      tableNameArgument,
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
next run continues where this one ended, unless the rules have changed. Edits of rules do not count
until it is started again. Works only on this machine.

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
  const url = options.endpoint ?? `http://127.0.0.1:${port}`;
  const state = await devStateOf(options, { table, dbPath, endpoint: url });
  const stateDir = state.folder;
  const opened = { registry, stack, tableName: table, stateDir };
  const page = options.page ? devPage(opened) : undefined;
  const kinds = options.check ? kindWatch(registry, table, sayFinding) : undefined;
  const lines = bursts(say);
  const deadLetters = bursts((text) => text.split('\n').forEach(say));
  const events: DevEvents = {
    onPropagation: (report, milliseconds) =>
      lines.add(report.rule, () => propagationLine(names, report, milliseconds)),
    onArchived: (report, milliseconds) =>
      lines.add(`archived ${report.kind}`, () => archiveLine(names, report, milliseconds)),
    onDeadLettered: (deadLettered) =>
      deadLetters.add(visible(deadLettered.code), () => {
        const { key } = subjectOf(deadLettered) ?? {};
        const next = ['dlq', ...(key === undefined ? ['list'] : ['show', keyJson(names, key)])];
        const { stateDir: folder } = options;
        const words = folder === undefined ? next : [...next, '--state-dir', folder];
        return `${styled('red', deadLetterLine(names, deadLettered))}\n  ${nextCommand(words, { endpoint: url, table })}`;
      }),
    ...(options.capture !== undefined && { onInvoked: eventCapture(options.capture, registry) }),
    onReadAnew: () =>
      warn(
        'the rules or the table have changed since the last run with this file: its whole stream is read again',
      ),
    onFailed: warn,
    onChange: (change) => kinds?.changed(change),
  };
  const devEnvironment = await openDevEnvironment({
    ...opened,
    ...(page === undefined ? events : { ...page.heard(events), watch: page.watch }),
    ...(options.endpoint === undefined ? { port } : { endpoint: options.endpoint }),
    ...(dbPath !== undefined && { dbPath }),
    ...(options.import !== undefined && { fill: fillFrom(options.import, table, stack.table, stop) }),
    rulesDigest: digestInForce(target.config, registry, settings),
    worker: options.worker,
  });
  let containers: ForContainers | undefined;
  const { seed: files = [] } = options;
  const ended = new AbortController();
  // With --endpoint, --no-worker and --no-page, nothing else keeps the process until it is asked to stop.
  const alive = setInterval(() => {}, 60_000);
  try {
    if (options.sam === true)
      containers = await openForContainers(devEnvironment.endpoint, opened, wholeEnvironment());
    const { endpoint } = devEnvironment;
    let invoked = 'Propagate';
    if (files.length > 0) invoked = await seed(files, registry, { endpoint, tableName: table });
    await state.serve();
    console.log(`ready ${endpoint} table ${table}`);
    const unanswered = options.endpoint === undefined ? unansweredRules(registry) : [];
    if (unanswered.length > 0)
      warn(
        `${unanswered.join(', ')} cannot run here, because the embedded server answers no query of an index of several attributes: give --endpoint of MiniStack`,
      );
    if (page !== undefined) sayPage(await page.open(devEnvironment));
    const { rules, aggregates, archives } = registry;
    console.log(welcome(rules.length + aggregates.length + archives.length, endpoint, table, stateDir));
    if (options.check) sayFindings(await allRules(options), target, settings.parameters, ended.signal);
    if (kinds !== undefined) {
      kinds.has(await itemsAt(endpoint, opened));
      kinds
        .judged(devEnvironment.idle, ended.signal)
        .then((found) => found && warn(`check: ${found}`))
        .catch((error: unknown) => {
          if (!ended.signal.aborted) warn(messageOf(error));
        });
    }
    if (containers !== undefined) console.log(howToInvoke(containers, stateDir, invoked, files));
    const why = await Promise.race([
      stop,
      devEnvironment.failed,
      ...(containers === undefined ? [] : [containers.failed]),
    ]);
    for (const one of [lines, deadLetters]) one.end();
    console.error(`denorm: ends because of ${why}`);
    const unmatched = kinds?.unmatched();
    if (unmatched !== undefined) warn(unmatched);
  } finally {
    clearInterval(alive);
    ended.abort();
    await page?.close();
    await containers?.close();
    await devEnvironment.close();
  }
  process.exitCode = exitCodes.fine;
}

/** Some of the items that the table has, as `denorm check` reads them. */
async function itemsAt(
  endpoint: string,
  { tableName, registry: { table } }: { readonly tableName: string; readonly registry: Registry },
): Promise<readonly KeyedItem[]> {
  const connection = connect(loopbackClientSettings(endpoint));
  try {
    return await sampleItems(dynamoDbScan({ client: connection.dynamoDb, tableName, table }), sampleSize);
  } finally {
    connection.close();
  }
}

const sampleSize = { items: 400, ofAbout: 0 };

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

/** What runs, how an application or a command in another terminal reaches it, and how it ends. */
function welcome(rules: number, endpoint: string, table: string, stateDir: string): string {
  return `
${counted(rules, 'rule')} of denorm.config.ts on table ${table}; for an application, AWS CLI or denorm in another terminal:

  export AWS_ENDPOINT_URL=${endpoint} AWS_REGION=${localRegion} AWS_DEFAULT_REGION=${localRegion} AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local

archive, dead letters and failed batches are in ${stateDir}
Ctrl-C ends
`;
}

/**
 * The commands to run in another terminal, for this platform.
 * @param events the seeded ones, of which the first is invoked
 */
export function howToInvoke(
  { bridge, servicesEndpoint }: Pick<ForContainers, 'bridge' | 'servicesEndpoint'>,
  stateDir: string,
  name: string,
  [event]: readonly string[],
): string {
  const seeded = event === undefined ? 'the table has no items of event.json: --seed puts them. ' : '';
  return `queue and bucket at ${servicesEndpoint}, in memory; settings for containers in ${join(stateDir, envFileName)}

In another terminal, in this folder, after \`sam build\`; ${seeded}sam pulls ${baseImage()} (some hundred MB) at first, and with --skip-pull-image, offline, uses what the engine has:

  ${['sam', ...samLocalInvoke(name, event ?? 'event.json', stateDir, bridge)].join(' ')}

It exits 0 even if the function fails: look for "errorType" and for "batchItemFailures" that are not empty.
`;
}

/**
 * Prints what `denorm check` finds, so that a mistake does not start silently: of rules and template at once, of types when the
 * compiler, which runs beside the worker, is done. A project without TypeScript is left alone.
 * @param signal stops the compiler
 */
function sayFindings(
  registry: Registry,
  project: Project,
  parameters: RuleSettings['parameters'],
  signal: AbortSignal,
): void {
  const { folder } = project;
  const found = [...checkRegistry(registry), ...templateFindings(project, parameters)];
  found.forEach(sayFinding);
  const what = whatIsChecked(registry);
  if (!canCheckTypes(folder)) {
    warn(`check: ${what}, no types: ${counted(found.length, 'finding')}`);
    return;
  }
  typeErrors(folder, signal).then((findings) => {
    if (signal.aborted) return;
    findings.forEach(sayFinding);
    warn(`check: ${what}, types: ${counted(found.length + findings.length, 'finding')}`);
  });
}

function sayFinding({ about, subject, message }: Finding): void {
  console.error(`denorm: check: ${about}  ${subject}  ${message}`);
}

/**
 * Puts the items of events into the table, as each event leaves them, and warns of roots that it lacks: a function writes nothing
 * for these.
 * @returns the function that takes the first event
 * @throws DenormError `usage.file`, `event.unreadable` for a file without an event
 */
export async function seed(
  files: readonly string[],
  registry: Registry,
  { endpoint, tableName }: { readonly endpoint: string; readonly tableName: string },
): Promise<'Propagate' | 'FanOut'> {
  const events = await Promise.all(files.map((file) => readJson(file, 'an event, such as those in events/')));
  const records = events.flatMap((event) => readEvent(registry, localEvidence, event));
  const changes = records.flatMap((record) => ('change' in record ? [record.change] : []));
  const messages = records.flatMap((record) => ('message' in record ? [record.message] : []));
  const connection = connect(loopbackClientSettings(endpoint));
  const access = { client: connection.dynamoDb, tableName, table: registry.table };
  try {
    const images = changes.flatMap(({ after }) => (after === undefined ? [] : [after]));
    for (const item of images) await dynamoDbPut(access).overwrite(item);
    warn(`put ${counted(images.length, 'item')} of ${files.join(', ')} into table ${tableName}`);
    const { propagations, checks } = askedBy(registry, changes);
    const needed = [...messages, ...propagations.map(({ message }) => message), ...checks];
    const roots = new Map(needed.map(({ root }) => [keyText(root), root]));
    for (const { key, after } of changes) if (after === undefined) roots.delete(keyText(key));
    for (const root of roots.values())
      if ((await dynamoDbTable(access).get(root)) === undefined)
        warn(
          `the root ${keyJson(registry.table, root)} does not exist in table ${tableName}, so no copy of it is written: seed an event of it too`,
        );
  } finally {
    connection.close();
  }
  const [first] = records;
  return first !== undefined && 'message' in first ? 'FanOut' : 'Propagate';
}
