import type { CloudWatchClient, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { TransientError } from '../../../model/basics/errors.ts';
import { asked } from '../../../worker/adapters/aws-errors.ts';

export interface AskedMetric {
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
  /** `Sum`, `Maximum`, or a percentile such as `p99`. */
  readonly statistic: string;
}

export interface Span {
  /** Epoch seconds, a multiple of the period. */
  readonly from: number;
  /** Epoch seconds, excluded. */
  readonly to: number;
  /** In seconds. */
  readonly period: number;
}

/** The values of a metric by the beginning of their period, in epoch seconds. A period without values is missing. */
export type MetricValues = ReadonlyMap<number, number>;

/**
 * At most 500, in their order. Needs `cloudwatch:GetMetricData`.
 * @throws TransientError `metrics.incomplete`
 */
export async function metricData(
  client: CloudWatchClient,
  metrics: readonly AskedMetric[],
  { from, to, period }: Span,
): Promise<readonly MetricValues[]> {
  const values = metrics.map(() => new Map<number, number>());
  const span = { StartTime: new Date(from * 1000), EndTime: new Date(to * 1000) };
  const MetricDataQueries = metrics.map(({ namespace, name, service, statistic }, at): MetricDataQuery => {
    const Dimensions = [{ Name: 'service', Value: service }];
    const Metric = { Namespace: namespace, MetricName: name, Dimensions };
    return { Id: `m${at}`, MetricStat: { Metric, Period: period, Stat: statistic } };
  });
  const { paginateGetMetricData } = await import('@aws-sdk/client-cloudwatch');
  await asked('GetMetricData (cloudwatch:GetMetricData)', async () => {
    for await (const page of paginateGetMetricData({ client }, { MetricDataQueries, ...span }))
      for (const { Id = '', StatusCode, Timestamps = [], Values = [] } of page.MetricDataResults ?? []) {
        if (StatusCode === 'InternalError' || StatusCode === 'Forbidden')
          throw new TransientError(
            'metrics.incomplete',
            `Expected the values of every metric, but CloudWatch could not read one (${StatusCode}): try again in a minute`,
          );
        const of = values[Number(Id.slice(1))];
        for (const [at, value] of Values.entries()) {
          const time = Timestamps[at];
          if (time !== undefined) of?.set(time.getTime() / 1000, value);
        }
      }
  });
  return values;
}
