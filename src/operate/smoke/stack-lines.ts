import { wrongExpiry } from '../../model/items/expiry.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { stackAlarms } from '../adapters/cloudwatch.ts';
import type { Connection } from '../adapters/connection.ts';
import { describeTable, expiryAndRecovery, streamOf } from '../adapters/dynamodb/describe-table.ts';
import { eventSources } from '../adapters/lambda-functions.ts';
import type { StackOutputs } from '../adapters/stack-outputs.ts';
import { type Line, lineOf } from './smoke-test.ts';

export interface DeployedStack {
  readonly connection: Connection;
  readonly stackName: string;
  readonly outputs: StackOutputs;
  readonly parameters: ReadonlyMap<string, string>;
  readonly tableName: string;
  readonly table: TableNames;
  /** Whether its services are on this machine. */
  readonly isEmulated: boolean;
}

/** What the services say of a stack. Last of all, so that it tells of the run. */
export function stackLines(stack: DeployedStack): Promise<readonly Line[]> {
  const { connection, outputs, tableName } = stack;
  const stream = () => streamOf(connection.dynamoDb, tableName);
  const queue = async () => outputs.FanOutQueueUrl.split('/').at(-1) ?? '';
  return Promise.all([
    sourceLine(stack, 'Propagate', outputs.PropagateFunction, stream),
    ...(outputs.ArchiveFunction === undefined
      ? []
      : [sourceLine(stack, 'Archive', outputs.ArchiveFunction, stream)]),
    sourceLine(stack, 'FanOut', outputs.FanOutFunction, queue),
    tableLine(stack),
    alarmLine(stack),
  ]);
}

function sourceLine(
  { connection, parameters }: DeployedStack,
  name: string,
  functionName: string,
  sourceOf: () => Promise<string>,
): Promise<Line> {
  return lineOf('stack', `event source of ${name}`, async () => {
    if (parameters.get(`${name}Enabled`) === 'false')
      return { status: 'off', detail: `${name}Enabled=false` };
    const source = await sourceOf();
    const found = await eventSources(connection.lambda, functionName);
    const mapping = found.find(({ EventSourceArn = '' }) => EventSourceArn.endsWith(source));
    if (mapping === undefined) {
      const others = found.map(({ EventSourceArn }) => EventSourceArn).join(', ') || 'none';
      return {
        status: 'failed',
        detail: `expected ${source}, found ${others}: deploy again, for an existing table with its present stream as ExistingTableStreamArn`,
      };
    }
    const { State, UUID, LastProcessingResult: result = '' } = mapping;
    if (State !== 'Enabled')
      return {
        status: 'failed',
        detail: `expected it to be Enabled, found ${State}: \`aws lambda update-event-source-mapping --uuid ${UUID} --enabled\`; the stream keeps changes for 24 hours`,
      };
    // Source: AWS, "GetEventSourceMapping", LastProcessingResult.
    if (result.startsWith('PROBLEM'))
      return { status: 'failed', detail: `${result}: \`sam logs --name ${name}\`, then docs/runbook.md` };
    return { status: 'proven', detail: `Enabled${result === '' ? '' : `, ${result}`}` };
  });
}

function tableLine(stack: DeployedStack): Promise<Line> {
  const { connection, outputs, parameters, tableName, table, isEmulated } = stack;
  return lineOf('stack', 'table', async () => {
    const { limitation } = await describeTable(connection.dynamoDb, tableName, table);
    if (limitation !== undefined)
      return { status: 'failed', detail: `${limitation}: use a table in one Region` };
    const { expiry, recovers } = await expiryAndRecovery(connection.dynamoDb, tableName);
    const found = `${expiry === undefined ? 'no items expire' : `items expire by ${expiry}`}, point-in-time recovery is ${recovers ? 'on' : 'off'}`;
    // An existing table is as its owner has it, if only nothing expires that the archive would not have before.
    const isOwn = (parameters.get('ExistingTableName') ?? '') === '';
    const matters = isOwn || outputs.ArchiveFunction !== undefined;
    const wrong = matters ? wrongExpiry(table, tableName, expiry) : undefined;
    if (wrong !== undefined)
      return { status: 'failed', detail: `${wrong}; then \`npx denorm archive audit\`` };
    if ((expiry === table.ttl && recovers) || !isOwn)
      return { status: 'proven', detail: `${found}; no expiry is waited for, which may take days` };
    if (isEmulated) return { status: 'unproven', detail: `${found}: an emulator may keep neither` };
    return {
      status: 'failed',
      detail: `${found}, expected both, as the template sets them: docs/runbook.md#recreate-what-was-deleted`,
    };
  });
}

function alarmLine({ connection, stackName }: DeployedStack): Promise<Line> {
  return lineOf('stack', 'alarms', async () => {
    const alarms = await stackAlarms(connection, stackName);
    const named = (state: string | undefined) =>
      alarms.filter((alarm) => alarm.state === state).map(({ name }) => name);
    const raised = named('ALARM');
    const missing = named(undefined);
    if (missing.length > 0)
      return { status: 'failed', detail: `${missing.join(', ')} are not there: deploy again` };
    if (raised.length > 0)
      return { status: 'failed', detail: `raised: ${raised.join(', ')}: docs/runbook.md says what to do` };
    const fine = named('OK').length;
    const detail = `${fine} of ${alarms.length} are OK, of the others CloudWatch has no data yet`;
    return { status: fine > 0 ? 'proven' : 'unproven', detail };
  });
}
