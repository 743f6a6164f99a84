import type { CloudWatchClient, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { chunksOf } from '../../model/basics/chunks-of.ts';
import { TransientError } from '../../model/basics/errors.ts';
import { awsCall } from '../../worker/adapters/aws-errors.ts';
import type { Connection } from './connection.ts';

export interface AskedMetric {
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
  /** Of a metric that has a value for each rule. */
  readonly rule?: string;
  /** `Sum`, `Maximum`, or a percentile such as `p99`. */
  readonly statistic: string;
}

export interface Span {
  /** In epoch seconds, a multiple of the period. */
  readonly from: number;
  /** In epoch seconds, excluded. */
  readonly to: number;
  readonly periodSeconds: number;
}

/** The values of a metric by the beginning of their period, in epoch seconds. A period without values is missing. */
export type MetricValues = ReadonlyMap<number, number>;

/** Metrics that a request takes. Source: AWS, "GetMetricData". */
const maxQueries = 500;

/**
 * In their order. Needs `cloudwatch:GetMetricData`.
 * @throws TransientError `metrics.incomplete`
 */
export async function metricData(
  client: CloudWatchClient,
  metrics: readonly AskedMetric[],
  { from, to, periodSeconds }: Span,
): Promise<readonly MetricValues[]> {
  const values = metrics.map(() => new Map<number, number>());
  const span = { StartTime: new Date(from * 1000), EndTime: new Date(to * 1000) };
  const MetricDataQueries = metrics.map((asked, at): MetricDataQuery => {
    const { namespace, name, service, rule, statistic } = asked;
    const Dimensions = [
      { Name: 'service', Value: service },
      ...(rule === undefined ? [] : [{ Name: 'rule', Value: rule }]),
    ];
    const Metric = { Namespace: namespace, MetricName: name, Dimensions };
    return { Id: `m${at}`, MetricStat: { Metric, Period: periodSeconds, Stat: statistic } };
  });
  const { paginateGetMetricData } = await import('@aws-sdk/client-cloudwatch');
  const request = (queries: MetricDataQuery[]) =>
    paginateGetMetricData({ client }, { MetricDataQueries: queries, ...span });
  await awsCall('GetMetricData (cloudwatch:GetMetricData)', async () => {
    for await (const page of inTurn(chunksOf(MetricDataQueries, maxQueries).map(request)))
      for (const { Id = '', StatusCode, Timestamps = [], Values = [] } of page.MetricDataResults ?? []) {
        if (StatusCode === 'InternalError' || StatusCode === 'Forbidden')
          throw new TransientError(
            'metrics.incomplete',
            `Expected the values of every metric, but CloudWatch could not read one (${StatusCode}): try again in a minute`,
          );
        const ofMetric = values[Number(Id.slice(1))];
        for (const [at, value] of Values.entries()) {
          const time = Timestamps[at];
          if (time !== undefined) ofMetric?.set(time.getTime() / 1000, value);
        }
      }
  });
  return values;
}

async function* inTurn<Entry>(all: readonly AsyncIterable<Entry>[]): AsyncGenerator<Entry> {
  for (const one of all) yield* one;
}

export interface StackAlarm {
  readonly name: string;
  /** Undefined if there is no such alarm any more. */
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA' | undefined;
}

/** Names that a request takes. Source: AWS, "DescribeAlarms". */
const maxNames = 100;

/** The alarms that a stack has made. Needs `cloudformation:ListStackResources` and `cloudwatch:DescribeAlarms`. */
export async function stackAlarms(
  { cloudFormation, cloudWatch }: Connection,
  StackName: string,
): Promise<readonly StackAlarm[]> {
  const { paginateListStackResources } = await import('@aws-sdk/client-cloudformation');
  const { paginateDescribeAlarms } = await import('@aws-sdk/client-cloudwatch');
  const names: string[] = [];
  await awsCall(`ListStackResources (cloudformation:ListStackResources) of ${StackName}`, async () => {
    for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName }))
      for (const { ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? [])
        if (ResourceType === 'AWS::CloudWatch::Alarm' && PhysicalResourceId !== undefined)
          names.push(PhysicalResourceId);
  });
  const states = new Map<string | undefined, StackAlarm['state']>();
  await awsCall('DescribeAlarms (cloudwatch:DescribeAlarms)', async () => {
    for (const AlarmNames of chunksOf(names, maxNames))
      for await (const page of paginateDescribeAlarms({ client: cloudWatch }, { AlarmNames }))
        for (const { AlarmName, StateValue } of page.MetricAlarms ?? []) states.set(AlarmName, StateValue);
  });
  return names.map((name) => ({ name, state: states.get(name) }));
}
