import { describe, expect, it } from 'vitest';
import { type AlarmMetric, alarmMetrics } from '../worker/lambda/alarms.ts';

const functionNames = ['Propagate', 'Archive', 'FanOut', 'Sweep', 'Verify'];

/**
 * Metrics of AWS as its pages name them, with the one dimension that each is watched by, and what that may name here.
 * Sources: Lambda Developer Guide, "Types of metrics for Lambda functions" and "Viewing metrics for Lambda functions";
 * SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS".
 */
const documented: Readonly<Record<string, readonly [dimension: string, names: readonly unknown[]]>> = {
  ...Object.fromEntries(
    ['Errors', 'Throttles', 'Invocations', 'IteratorAge', 'AsyncEventsDropped'].map((name) => [
      `AWS/Lambda ${name}`,
      ['FunctionName', functionNames.map((Ref) => ({ Ref }))] as const,
    ]),
  ),
  ...Object.fromEntries(
    ['DroppedEventCount', 'OnFailureDestinationDeliveredEventCount'].map((name) => [
      `AWS/Lambda ${name}`,
      ['EventSourceMappingUUID', [{ Ref: 'PropagateStream' }, { Ref: 'ArchiveStream' }]] as const,
    ]),
  ),
  ...Object.fromEntries(
    ['ApproximateNumberOfMessagesVisible', 'ApproximateAgeOfOldestMessage'].map((name) => [
      `AWS/SQS ${name}`,
      [
        'QueueName',
        ['FanOutQueue', 'DeadLetterQueue'].map((id) => ({ 'Fn::GetAtt': [id, 'QueueName'] })),
      ] as const,
    ]),
  ),
};

const ofAws = alarmMetrics().filter(({ namespace }) => namespace.startsWith('AWS/'));

describe("AWS's own metrics, which no emulator publishes: only their names are compared with AWS's pages", () => {
  it.each(ofAws.map((one) => [one.alarm, one.name, one] as const))(
    '%s watches %s',
    (_, __, one: AlarmMetric) => {
      const [dimension = '', names = []] = documented[`${one.namespace} ${one.name}`] ?? [];
      expect(Object.keys(one.dimensions)).toEqual([dimension]);
      expect(names).toContainEqual(one.dimensions[dimension]);
    },
  );

  it.each(['Propagate', 'Archive'])('records of %s that Lambda gives up are watched, kept or not', (id) => {
    for (const name of ['DroppedEventCount', 'OnFailureDestinationDeliveredEventCount'])
      expect(ofAws).toContainEqual(
        expect.objectContaining({ name, dimensions: { EventSourceMappingUUID: { Ref: `${id}Stream` } } }),
      );
  });
});
