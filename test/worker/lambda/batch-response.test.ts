import type { DynamoDBRecord, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { lambdaChange, ModelTable } from '../../../src/testing/table-model/model-table.ts';
import { queueResponse, streamResponse } from '../../../src/worker/lambda/batch-response.ts';
import { table } from '../../fixtures/model/table.ts';
import { anIncident } from '../../fixtures/world/items.ts';

const evidence = { globalTableReplica: false };
const failure = new Error('failed');

/** Three records of a stream, as Lambda delivers them, those at these positions without their sequence numbers. */
function streamEvent(...unnumbered: readonly number[]): DynamoDBStreamEvent {
  const model = new ModelTable(table);
  for (const name of ['a', 'b', 'c']) model.put(anIncident({ Sort: `incident_${name}` }));
  return {
    Records: model.history.map((change, index) => {
      const record: DynamoDBRecord = { eventSource: 'aws:dynamodb', ...lambdaChange(table, change) };
      if (!unnumbered.includes(index)) return record;
      const { SequenceNumber: _, ...dynamodb } = record.dynamodb ?? {};
      return { ...record, dynamodb };
    }),
  };
}

/** Three messages. The ids are not positions and not in order. */
const queueEvent = {
  Records: ['c', 'a', 'b'].map((name, index) => ({
    ...{ messageId: name, body: `of ${name}`, eventSource: 'aws:sqs' },
    attributes: { ApproximateReceiveCount: String(index + 1) },
  })),
} as SQSEvent;

describe('a batch of the stream', () => {
  /** Fails the records of these incidents. */
  const response = (event: DynamoDBStreamEvent, ...failed: string[]) =>
    streamResponse(table, evidence, event, async (records) => {
      const ids = records.filter(({ parsed }) => 'key' in parsed && failed.includes(parsed.key.sk));
      return new Map(ids.map(({ id }) => [id, failure]));
    });

  test.each([
    ['no record', [], []],
    ['one', ['incident_b'], [1]],
    ['all', ['incident_a', 'incident_b', 'incident_c'], [0, 1, 2]],
  ])('is answered with the sequence number of each failed record: %s', async (_, failed, positions) => {
    const event = streamEvent();
    const numbers = event.Records.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber }));

    expect(await response(event, ...failed)).toEqual({
      batchItemFailures: positions.map((position) => numbers[position]),
    });
  });

  test('fails as a whole if a failed record has no sequence number', async () => {
    const unreadable = (event: DynamoDBStreamEvent) =>
      streamResponse(table, evidence, event, async (records) => {
        const ids = records.filter(({ parsed }) => 'unreadable' in parsed);
        return new Map(ids.map(({ id }) => [id, failure]));
      });

    await expect(unreadable(streamEvent(0))).rejects.toMatchObject({ code: 'record.unnumbered' });
    expect((await response(streamEvent(0), 'incident_b')).batchItemFailures).toHaveLength(1);
  });
});

test.each([[[]], [['a']], [['c', 'b']]])(
  'a batch of the queue is answered with failed ids: %j',
  async (failed) => {
    const seen: unknown[] = [];
    const { batchItemFailures } = await queueResponse(queueEvent, async (records) => {
      seen.push(...records);
      return new Map(failed.map((id) => [id, failure]));
    });

    expect(batchItemFailures).toEqual(failed.map((itemIdentifier) => ({ itemIdentifier })));
    expect(seen[1]).toEqual({ id: 'a', body: 'of a', receives: 2 });
  },
);

test.each([
  ['aws:dynamodb, found one of aws:sqs', ['aws:dynamodb', 'aws:sqs']],
  ['aws:dynamodb, found one of aws:s3', ['aws:s3']],
  ['aws:sqs, found one of aws:dynamodb', ['aws:dynamodb']],
  ['aws:sqs, found none', undefined],
])('an event of another source is refused as a whole: %s', async (message, sources) => {
  // What a wrong event source mapping, or a person, may send.
  const event = { Records: sources?.map((eventSource) => ({ eventSource })) } as never;
  const process = async () => new Map<string, unknown>();
  const answer = message.startsWith('aws:sqs')
    ? queueResponse(event, process)
    : streamResponse(table, evidence, event, process);

  await expect(answer).rejects.toMatchObject({
    code: 'event.unreadable',
    message: expect.stringContaining(message),
  });
});
