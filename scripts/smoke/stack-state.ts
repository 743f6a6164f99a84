import { ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { type CloudWatchClient, DescribeAlarmsCommand, type MetricAlarm } from '@aws-sdk/client-cloudwatch';
import { type EventSourceMappingConfiguration, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import type { TableNames } from '../../src/model/table-names.ts';
import type { Connection } from '../../src/operate/adapters/connection.ts';
import { describeTable } from '../../src/operate/adapters/dynamodb/describe-table.ts';
import { fromAws } from '../../src/worker/adapters/aws-errors.ts';
import { type Line, lineOf } from './lines.ts';

/** A function with an event source, and the parameter that switches the event source off. */
export interface Reader {
  readonly name: string;
  readonly functionName: string;
  readonly parameter: string | undefined;
  /** Whether that parameter says so. */
  readonly isOff: boolean;
}

/** A line for the state of a function's event source mapping, and one for the result of its last invocation. */
export async function mappingLines({ lambda }: Connection, reader: Reader): Promise<Line[]> {
  const check = `event source of ${reader.name}`;
  const lines: Line[] = [];
  const line = await lineOf(check, async () => {
    const mappings = await mappingsOf(lambda, reader.functionName);
    lines.push(...mappings.map((mapping) => lastResult(reader, mapping)));
    return worst(mappings.map((mapping) => stateOf(reader, mapping)));
  });
  return [line, ...lines];
}

async function mappingsOf(
  client: Connection['lambda'],
  FunctionName: string,
): Promise<EventSourceMappingConfiguration[]> {
  try {
    const command = new ListEventSourceMappingsCommand({ FunctionName });
    return (await client.send(command)).EventSourceMappings ?? [];
  } catch (error) {
    throw fromAws(error, `ListEventSourceMappings (lambda:ListEventSourceMappings) of ${FunctionName}`);
  }
}

type Found = Omit<Line, 'check'>;

function worst(found: readonly Found[]): Found {
  const order = ['failed', 'unknown', 'off', 'passed'] as const;
  for (const status of order) {
    const one = found.find((line) => line.status === status);
    if (one !== undefined) return one;
  }
  return {
    status: 'failed',
    detail: 'there is none',
    action: 'deploy the stack again: `sam build && sam deploy`',
  };
}

function stateOf(
  { parameter, isOff }: Reader,
  { State, UUID = '', StateTransitionReason }: EventSourceMappingConfiguration,
): Found {
  if (State === undefined) return { status: 'unknown', detail: 'no state is told' };
  if (State === 'Enabled') return { status: 'passed', detail: State };
  const enable = `aws lambda update-event-source-mapping --uuid ${UUID} --enabled`;
  if (State === 'Disabled' || State === 'Disabling')
    return isOff
      ? { status: 'off', detail: `${State}, by ${parameter}=false` }
      : {
          status: 'failed',
          detail: State,
          action: `enable it: ${enable}; the stream keeps records for 24 hours`,
        };
  return {
    status: 'failed',
    detail: StateTransitionReason === undefined ? State : `${State}: ${StateTransitionReason}`,
    action: `run this again when it is Enabled; if it stays so: ${enable}`,
  };
}

/** Lambda words a failure `PROBLEM: …`. Source: AWS, "EventSourceMappingConfiguration" and "GetEventSourceMapping". */
function lastResult(
  { name, isOff, parameter }: Reader,
  { LastProcessingResult: result }: EventSourceMappingConfiguration,
): Line {
  const check = `last result of ${name}`;
  if (isOff) return { check, status: 'off', detail: `${parameter}=false` };
  if (result === undefined || result === '') return { check, status: 'unknown', detail: 'none is told' };
  if (/^(OK\b|No records processed)/i.test(result)) return { check, status: 'passed', detail: result };
  return {
    check,
    status: 'failed',
    detail: result,
    action: `read the log of ${name} (\`sam logs --name ${name} --stack-name …\`), and docs/runbook.md`,
  };
}

/** A line for the table: its keys and indexes, and whether everything works on a table of its kind. */
export function tableLine({ dynamoDb }: Connection, tableName: string, names: TableNames): Promise<Line> {
  return lineOf('table', async () => {
    const { limitation } = await describeTable(dynamoDb, tableName, names);
    if (limitation === undefined) return { status: 'passed', detail: 'its keys and indexes are as expected' };
    return {
      status: 'failed',
      detail: limitation,
      action: 'use a table in one Region, or a global table with eventual consistency',
    };
  });
}

/** A line for each alarm that is raised, one for those that have no data yet, and one for all others. */
export async function alarmLines(
  { cloudFormation }: Connection,
  cloudWatch: CloudWatchClient,
  stackName: string,
): Promise<Line[]> {
  const lines: Line[] = [];
  const line = await lineOf('alarms', async () => {
    const names = await alarmNames(cloudFormation, stackName);
    const alarms = await alarmsNamed(cloudWatch, names);
    const inState = (state: string) => alarms.filter(({ StateValue }) => StateValue === state);
    lines.push(...inState('ALARM').map(raised));
    const fine = inState('OK').length;
    const untold = names.length - fine - inState('ALARM').length;
    if (untold > 0)
      lines.push({
        check: 'alarms without a state',
        status: 'unknown',
        detail: `${untold} of ${names.length}: CloudWatch has no data for them yet`,
      });
    if (fine === 0) return { status: 'unknown', detail: `none of ${names.length} is known to be OK` };
    return { status: 'passed', detail: `${fine} of ${names.length} are OK` };
  });
  return [line, ...lines];
}

function raised({ AlarmName = '', AlarmDescription = '' }: MetricAlarm): Line {
  return {
    check: `alarm ${AlarmName}`,
    status: 'failed',
    detail: `ALARM: ${AlarmDescription}`,
    action: 'docs/runbook.md says what to do about it',
  };
}

async function alarmNames(client: Connection['cloudFormation'], StackName: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for (let NextToken: string | undefined; ; ) {
      const page = await client.send(
        new ListStackResourcesCommand({ StackName, ...(NextToken !== undefined && { NextToken }) }),
      );
      for (const { ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? [])
        if (ResourceType === 'AWS::CloudWatch::Alarm' && PhysicalResourceId !== undefined)
          names.push(PhysicalResourceId);
      if (page.NextToken === undefined) return names;
      NextToken = page.NextToken;
    }
  } catch (error) {
    throw fromAws(error, `ListStackResources (cloudformation:ListStackResources) of ${StackName}`);
  }
}

/** DescribeAlarms takes 100 names at most. Source: AWS, "DescribeAlarms". */
async function alarmsNamed(client: CloudWatchClient, names: readonly string[]): Promise<MetricAlarm[]> {
  try {
    const alarms: MetricAlarm[] = [];
    for (let start = 0; start < names.length; start += 100) {
      const AlarmNames = names.slice(start, start + 100);
      const { MetricAlarms = [] } = await client.send(
        new DescribeAlarmsCommand({ AlarmNames, MaxRecords: 100 }),
      );
      alarms.push(...MetricAlarms);
    }
    return alarms;
  } catch (error) {
    throw fromAws(error, 'DescribeAlarms (cloudwatch:DescribeAlarms)');
  }
}
