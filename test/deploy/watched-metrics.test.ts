import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { functionNames, serviceOf } from '../../src/model/work/settings.ts';
import { metricNames, ruleDimension } from '../../src/worker/lambda/telemetry.ts';
import { stack } from '../fixtures/application/stack.ts';
import { alarmMetrics, namespace } from '../worker/lambda/alarms.ts';

/**
 * Metrics of AWS as its pages name them, with the one dimension that each is watched by.
 * Sources: Lambda Developer Guide, "Types of metrics for Lambda functions" and "Viewing metrics for Lambda functions";
 * SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS".
 */
const ofFunctions = ['Errors', 'Throttles', 'Invocations', 'Duration', 'IteratorAge', 'AsyncEventsDropped'];
const ofMappings = ['DroppedEventCount', 'OnFailureDestinationDeliveredEventCount'];
const ofQueues = [
  ...['ApproximateNumberOfMessagesVisible', 'ApproximateNumberOfMessagesDelayed'],
  'ApproximateAgeOfOldestMessage',
];
const dimensions = new Map<string, string>([
  ...ofFunctions.map((name) => [`AWS/Lambda ${name}`, 'FunctionName'] as const),
  ...ofMappings.map((name) => [`AWS/Lambda ${name}`, 'EventSourceMappingUUID'] as const),
  ...ofQueues.map((name) => [`AWS/SQS ${name}`, 'QueueName'] as const),
  ...Object.values(metricNames).map((name) => [`${namespace} ${name}`, 'service'] as const),
]);
/** What a dimension may name, as an alarm and as the dashboard refer to it. */
const named: Readonly<Record<string, readonly unknown[]>> = {
  FunctionName: functionNames.flatMap((name) => [{ Ref: name }, `\${${name}}`]),
  EventSourceMappingUUID: ['PropagateStream', 'ArchiveStream'].flatMap((id) => [{ Ref: id }, `\${${id}}`]),
  QueueName: ['FanOutQueue', 'DeadLetterQueue'].flatMap((id) => [
    ...[{ 'Fn::GetAtt': [id, 'QueueName'] }, `\${${id}.QueueName}`],
  ]),
  service: functionNames.map(serviceOf),
};

const dashboardBody = z.object({
  widgets: z.array(
    z.object({
      properties: z.object({
        title: z.string(),
        metrics: z.array(
          z.union([
            z.tuple([z.string(), z.string(), z.string(), z.string()]),
            z.tuple([z.object({ id: z.string(), expression: z.string() })]),
          ]),
        ),
      }),
    }),
  ),
});

const { widgets } = dashboardBody.parse(
  JSON.parse(
    z.object({ 'Fn::Sub': z.string() }).parse(stack.Resources['Dashboard']?.Properties['DashboardBody'])[
      'Fn::Sub'
    ],
  ),
);
const shown = widgets.flatMap(({ properties: { title, metrics } }) =>
  metrics.flatMap(([space, name = '', dimension = '', value = '']) =>
    typeof space !== 'string'
      ? []
      : [
          {
            ...{ where: title, dimensions: { [dimension]: value } },
            metric: `${space.replace(`denorm/\${AWS::StackName}`, namespace)} ${name}`,
          },
        ],
  ),
);
const searches = widgets.flatMap(({ properties: { metrics } }) =>
  metrics.flatMap(([one]) => (typeof one === 'string' ? [] : [one])),
);
const watched = alarmMetrics().map((one) => ({
  ...{ where: one.alarm, metric: `${one.namespace} ${one.name}`, dimensions: one.dimensions },
}));

describe('dashboard and alarms', () => {
  test('are read by this test', () => {
    expect([shown.length > 30, watched.length > 20]).toEqual([true, true]);
  });

  test.each([...shown, ...watched])('$where has $metric, which something publishes', (one) => {
    const [[dimension, value] = ['', ''], ...others] = Object.entries(one.dimensions);

    expect(dimension).toBe(dimensions.get(one.metric));
    expect(others).toEqual([]);
    expect(named[dimension]).toContainEqual(value);
  });

  test('search by rule for what is published by rule, with quotes around the name of a namespace with a hyphen', () => {
    expect(new Set(searches.map(({ id }) => id)).size).toBe(3);
    for (const { expression } of searches)
      expect(expression).toMatch(
        `SEARCH('{"denorm/\${AWS::StackName}",service,${ruleDimension}} MetricName="${metricNames.wait}"', '`,
      );
  });

  test.each(ofMappings)('watch by %s what Lambda gives up, kept or not', (name) => {
    const ids = watched.flatMap((one) =>
      one.metric === `AWS/Lambda ${name}` ? [one.dimensions['EventSourceMappingUUID']] : [],
    );

    expect(ids).toEqual([{ Ref: 'PropagateStream' }, { Ref: 'ArchiveStream' }]);
  });
});
