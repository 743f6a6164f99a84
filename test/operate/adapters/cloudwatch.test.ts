import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { expect, test } from 'vitest';
import { type AskedMetric, metricData } from '../../../src/operate/adapters/cloudwatch.ts';
import { clientOfTest, type ServerAnswer } from '../../suites/loopback-server.ts';

const span = { from: 1_800_000_000, to: 1_800_010_800, periodSeconds: 60 };

const metric = (name: string, service = 'propagate'): AskedMetric => ({
  ...{ namespace: 'denorm/prod', name, service, statistic: 'Sum' },
});

/** CloudWatch with these answers, in order. */
async function cloudWatch(...answers: readonly ServerAnswer[]) {
  const asked: { MetricDataQueries: { Id: string }[]; NextToken?: string }[] = [];
  const client = await clientOfTest(
    ({ body }) => {
      asked.push(JSON.parse(body.toString()));
      return answers[asked.length - 1] ?? { status: 500 };
    },
    (settings) => new CloudWatchClient({ ...settings, maxAttempts: 1 }),
  );
  return { client, asked };
}

function answer(results: readonly object[], more: object = {}): ServerAnswer {
  const MetricDataResults = results.map((result) => ({ StatusCode: 'Complete', ...result }));
  return { status: 200, body: JSON.stringify({ MetricDataResults, ...more }) };
}

test('reads the values of each metric by their minute, from all pages', async () => {
  const { client, asked } = await cloudWatch(
    answer([{ Id: 'm1', StatusCode: 'PartialData', Timestamps: [1_800_000_060], Values: [5] }], {
      NextToken: 'more',
    }),
    answer([
      { Id: 'm1', Timestamps: [1_800_000_000], Values: [4] },
      { Id: 'm0', Timestamps: [], Values: [] },
    ]),
  );
  const values = await metricData(client, [metric('A'), metric('B', 'fan-out')], span);

  expect(values.map((of) => [...of])).toEqual([
    [],
    [
      [1_800_000_060, 5],
      [1_800_000_000, 4],
    ],
  ]);
  expect(asked.map(({ NextToken }) => NextToken)).toEqual([undefined, 'more']);
  expect(asked[0]?.MetricDataQueries[1]).toMatchObject({
    MetricStat: {
      Metric: {
        ...{ Namespace: 'denorm/prod', MetricName: 'B' },
        Dimensions: [{ Name: 'service', Value: 'fan-out' }],
      },
      ...{ Period: 60, Stat: 'Sum' },
    },
  });
});

test('fails if a metric could not be read: a gap would say that none was counted', async () => {
  const { client } = await cloudWatch(answer([{ Id: 'm0', StatusCode: 'Forbidden' }]));

  await expect(metricData(client, [metric('A')], span)).rejects.toMatchObject({ code: 'metrics.incomplete' });
});

test('names the permission that is missing', async () => {
  const { client } = await cloudWatch({ status: 403, body: '{"__type":"AccessDenied"}' });

  await expect(metricData(client, [metric('A')], span)).rejects.toMatchObject({
    code: 'aws.denied',
    message: expect.stringContaining('cloudwatch:GetMetricData'),
  });
});
