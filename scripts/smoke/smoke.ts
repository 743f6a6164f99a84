import { randomBytes } from 'node:crypto';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { allRules, rulesInForce } from '../../src/cli/options/rules-in-force.ts';
import { openConnection, openWhere, type Where, type WhereOptions } from '../../src/cli/options/where.ts';
import { allSettledOrThrow } from '../../src/model/all-settled-or-throw.ts';
import { defaultStorageClass } from '../../src/model/archive-rule.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Connection } from '../../src/operate/adapters/connection.ts';
import { functionEnvironment } from '../../src/operate/adapters/lambda/function-environment.ts';
import { fromAws } from '../../src/worker/adapters/aws-errors.ts';
import { clientSettings } from '../../src/worker/adapters/client-settings.ts';
import { s3ArchiveReader } from '../../src/worker/adapters/s3/s3-archive-reader.ts';
import { objectKeyOf } from '../../src/worker/archive/object.ts';
import { archiveLine } from './archived-object.ts';
import type { Line, Report } from './lines.ts';
import { type Asked, askedByFunction, noteHost, refuseMixture } from './one-place.ts';
import { OwnItems } from './own-items.ts';
import { scenes } from './propagations.ts';
import { runForms } from './run-forms.ts';
import { playScene } from './run-scenes.ts';
import { alarmLines, mappingLines, type Reader, tableLine } from './stack-state.ts';
import { streamEvent, trialLine } from './trial.ts';
import { Wait } from './wait.ts';

export interface SmokeOptions extends Omit<WhereOptions, 'table' | 'stack'> {
  readonly stack: string;
  /** How long each copy is waited for, in seconds. */
  readonly within: number;
  /** Whether the run was interrupted. */
  readonly asked: () => boolean;
}

/**
 * Proves a stack, and cleans up whatever happens.
 * @throws DenormError where the stack is not there, out of reach, or half in AWS and half elsewhere: nothing is written then
 */
export async function smoke(options: SmokeOptions): Promise<Report> {
  const where = await openWhere(options);
  const watched = openConnection(options);
  try {
    return await smokeAt(options, where, watched);
  } finally {
    where.close();
    watched.close();
  }
}

async function smokeAt(options: SmokeOptions, where: Where, watched: Connection): Promise<Report> {
  const { connection, tableName, table, stack } = where;
  if (stack === undefined) throw new Error('Expected openWhere to have found the stack');
  const { ArchiveFunction: archiveFunction, ArchiveBucketName: bucket } = stack;
  if (archiveFunction === undefined || bucket === undefined)
    throw new Error(
      'Expected a stack of this repository, whose rules archive items, got one that archives nothing',
    );
  const run = `smoke-${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`;
  const archive = s3ArchiveReader({ client: connection.s3, bucket });
  const asked: Asked[] = [];
  const step = { step: 'finalizeRequest' } as const;
  connection.cloudFormation.middlewareStack.add(noteHost('CloudFormation', asked), step);
  connection.lambda.middlewareStack.add(noteHost('Lambda', asked), step);
  connection.dynamoDb.middlewareStack.add(noteHost('DynamoDB', asked), step);
  connection.s3.middlewareStack.add(noteHost('S3', asked), step);
  const parameters = await parametersOf(connection, options.stack);
  const isOff = (name: string) => parameters.get(name) === 'false';
  const propagate = await functionEnvironment(connection.lambda, stack.PropagateFunction);
  const archiving = await functionEnvironment(connection.lambda, archiveFunction);
  const { registry } = await rulesInForce(where, {});
  await table.get({ pk: run, sk: run });
  await archive.details(objectKeyOf('Order', { pk: run, sk: run }));
  refuseMixture([
    ...asked,
    ...askedByFunction('Propagate', propagate),
    ...askedByFunction('Archive', archiving),
  ]);

  const items = new OwnItems({ connection, tableName, bucket, run });
  const wait = new Wait(options.within, options.asked);
  const lines: Line[] = [];
  const report = { stack: options.stack, table: tableName, run, lines, leftBehind: [] };
  const tellLeft = () => {
    for (const what of items.left()) console.error(`denorm: left behind: ${what}`);
  };
  process.on('exit', tellLeft);
  let failures: readonly Error[] = [];
  try {
    const played = { table, items, wait, stackName: options.stack };
    const statusShards = Number(propagate['STATUS_SHARDS'] ?? 1);
    const all = namesIn(await allRules());
    const known = scenes(run, statusShards).filter(({ rule }) => all.includes(rule));
    const inForce = new Set(namesIn(registry));
    const event = streamEvent(known);
    const trials = await Promise.all(
      [
        { name: 'Propagate', functionName: stack.PropagateFunction, event },
        { name: 'Archive', functionName: archiveFunction, event },
        { name: 'FanOut', functionName: stack.FanOutFunction, event: { Records: [] } },
      ].map((trial) => trialLine(connection.lambda, trial)),
    );
    lines.push(...trials);
    if (trials.some(({ status }) => status === 'failed')) return { ...report, passed: false };
    const propagations = known.map(async (scene): Promise<Line[]> => {
      const check = `propagation: ${scene.rule}`;
      if (isOff('PropagateEnabled')) return [{ check, status: 'off', detail: 'PropagateEnabled=false' }];
      if (!inForce.has(scene.rule)) return [{ check, status: 'off', detail: 'DisabledRules' }];
      return playScene(played, scene);
    });
    const others = [...inForce].filter((rule) => !known.some((scene) => scene.rule === rule));
    const ruleOfOrders = registry.archives.find(({ kinds }) => kinds.some(({ name }) => name === 'Order'));
    const archived = archiveLine({
      ...{
        run,
        table,
        archive,
        items,
        wait,
        statusShards,
        rule: isOff('ArchiveEnabled') ? undefined : ruleOfOrders,
      },
      storageClass: archiving['ARCHIVE_STORAGE_CLASS'] ?? defaultStorageClass,
    });
    const forms = runForms({ client: watched.dynamoDb, tableName, items, run, asked: options.asked });
    const found = await allSettledOrThrow([...propagations, archived.then((line) => [line]), forms]);
    lines.push(...found.flat(), ...others.map(withoutScene));
    // Last, so that they tell of this run.
    lines.push(await tableLine(connection, tableName, registry.table));
    lines.push(...(await stackLines(options, where, isOff)));
  } finally {
    wait.stop();
    failures = await items.removeAll();
    process.off('exit', tellLeft);
    for (const { message } of failures) console.error(`denorm: ${message}`);
  }
  if (options.asked())
    lines.push({
      check: 'the run',
      status: 'failed',
      detail: 'stopped before its end',
      action: 'run it again',
    });
  const leftBehind = items.left();
  const passed = leftBehind.length === 0 && lines.every(({ status }) => status !== 'failed');
  return { ...report, passed, leftBehind };
}

async function stackLines(
  { stack: stackName, endpoint, profile }: SmokeOptions,
  { connection, stack }: Where,
  isOff: (parameter: string) => boolean,
): Promise<Line[]> {
  if (stack === undefined) return [];
  const reader = (name: string, functionName: string, parameter?: string): Reader => ({
    ...{ name, functionName, parameter, isOff: parameter !== undefined && isOff(parameter) },
  });
  const readers = [
    reader('Propagate', stack.PropagateFunction, 'PropagateEnabled'),
    ...(stack.ArchiveFunction === undefined
      ? []
      : [reader('Archive', stack.ArchiveFunction, 'ArchiveEnabled')]),
    reader('FanOut', stack.FanOutFunction),
  ];
  const { region, credentials } = connection.lambda.config;
  const cloudWatch = new CloudWatchClient({
    ...clientSettings,
    ...{ region, credentials },
    ...(endpoint !== undefined && { endpoint }),
    ...(profile !== undefined && { profile }),
  });
  try {
    const mappings = await Promise.all(readers.map((one) => mappingLines(connection, one)));
    return [...mappings.flat(), ...(await alarmLines(connection, cloudWatch, stackName))];
  } finally {
    cloudWatch.destroy();
  }
}

async function parametersOf(
  { cloudFormation }: Connection,
  StackName: string,
): Promise<ReadonlyMap<string, string>> {
  try {
    const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
    const parameters = Stacks[0]?.Parameters ?? [];
    return new Map(
      parameters.map(({ ParameterKey = '', ParameterValue = '' }) => [ParameterKey, ParameterValue]),
    );
  } catch (error) {
    throw fromAws(error, `DescribeStacks (cloudformation:DescribeStacks) of ${StackName}`);
  }
}

function namesIn({ rules, aggregates }: Registry): readonly string[] {
  return [...rules, ...aggregates].map(({ name }) => name);
}

function withoutScene(rule: string): Line {
  const detail = 'no scene shows it: add one to scripts/smoke/propagations.ts';
  return { check: `propagation: ${rule}`, status: 'unknown', detail };
}
