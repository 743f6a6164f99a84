import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { lambdaChange } from '../../../src/develop/testing/table-model/lambda-change.ts';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { TransientError } from '../../../src/model/errors.ts';
import type { Item } from '../../../src/model/item.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import { archive } from '../../../src/worker/lambda/archive.ts';
import { fanOut } from '../../../src/worker/lambda/fan-out.ts';
import { propagate } from '../../../src/worker/lambda/propagate.ts';
import { CruiseArchive } from '../../fixtures/cruises/cruise-archive.ts';
import { aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { cruiseRules } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

const evidence = { globalTableReplica: false };
const names = ['a', 'b', 'c'];

/** A voyage of this name. Its bookings have their own partition. */
function voyage(name: string): Item {
  return aVoyage({ Sort: `voyage_${name}` });
}

/** A worker that cannot read the bookings of voyage b, or requeue them. */
function workerWithoutB(): ModelWorker {
  const worker = workerOver(names.map(voyage), {}, makeRegistry(table, cruiseRules));
  worker.queue.refusing = true;
  worker.port.before = (request) => {
    if (
      request.kind === 'queryPartition' &&
      'pk' in request.location &&
      request.location.pk === 'line_1#voyage_b#bookings'
    )
      throw new TransientError('aws.throttled', 'Query was throttled');
  };
  return worker;
}

/** The records of the table's stream from this position on, as Lambda delivers them. */
function streamEvent({ table: model }: ModelWorker, from = 0): DynamoDBStreamEvent {
  const Records = model.history
    .slice(from)
    .map((change) => ({ eventSource: 'aws:dynamodb', ...lambdaChange(table, change) }));
  return { Records };
}

function sequenceNumbers({ Records }: DynamoDBStreamEvent): (string | undefined)[] {
  return Records.map(({ dynamodb }) => dynamodb?.SequenceNumber);
}

/** The event without the sequence number of the record at this position. */
function unnumbered({ Records }: DynamoDBStreamEvent, position: number): DynamoDBStreamEvent {
  return {
    Records: Records.map((record, index) => {
      if (index !== position) return record;
      const { SequenceNumber: _, ...dynamodb } = record.dynamodb ?? {};
      return { ...record, dynamodb };
    }),
  };
}

describe('Propagate', () => {
  test('returns all, and does not throw, if all fail', async () => {
    const worker = workerWithoutB();
    worker.table.put({ ...voyage('b'), State: { S: 'CLOSED' } });
    const event = streamEvent(worker, names.length);

    expect(await propagate(worker.context, evidence, event)).toEqual({
      batchItemFailures: [{ itemIdentifier: sequenceNumbers(event)[0] }],
    });
  });

  test('fails as a whole if a failed record has no sequence number', async () => {
    const worker = workerWithoutB();
    for (const name of names) worker.table.put({ ...voyage(name), State: { S: 'CLOSED' } });
    const event = unnumbered(streamEvent(worker, names.length), 0);

    await expect(propagate(worker.context, evidence, event)).rejects.toMatchObject({
      code: 'record.unnumbered',
    });
  });

  test('acknowledges a record without a sequence number once it is dead-lettered', async () => {
    const worker = workerOver([]);
    worker.table.put(voyage('a'));

    const answer = await propagate(worker.context, evidence, unnumbered(streamEvent(worker), 0));

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'record.unreadable' }]);
  });
});

describe('Archive', () => {
  test.each(['object', 'batch'] as const)(
    'returns the sequence number of each failed record, and no other: layout %s',
    async (layout) => {
      const { worker } = new CruiseArchive({ layout });
      worker.table.put(aVoyage({ EndsAt: 1_000 }));
      worker.table.put(aTicket({ EndsAt: 1_000 }));
      const put = worker.archive.put.bind(worker.archive);
      worker.archive.put = async (objectKey, object, replaces) => {
        if (objectKey.includes('/Ticket/'))
          throw new TransientError('aws.timeout', 'PutObject was not answered');
        return put(objectKey, object, replaces);
      };
      const event = streamEvent(worker);

      const answer = await archive(worker.archiveContext, evidence, event);

      expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: sequenceNumbers(event)[1] }] });
      expect(worker.archive.keys()).toHaveLength(1);
    },
  );
});

describe('an event of another source is refused as a whole', () => {
  const { context } = workerOver([]);
  const { archiveContext } = new CruiseArchive({ layout: 'object' }).worker;
  // What a wrong event source mapping, or a person, may send.
  const of = (...sources: string[]): never =>
    ({ Records: sources.map((eventSource) => ({ eventSource })) }) as never;

  test.each([
    [
      'Propagate',
      () => propagate(context, evidence, of('aws:dynamodb', 'aws:sqs')),
      'aws:dynamodb, found one of aws:sqs',
    ],
    ['Archive', () => archive(archiveContext, evidence, of('aws:s3')), 'aws:dynamodb, found one of aws:s3'],
    ['FanOut', () => fanOut(context, of('aws:dynamodb')), 'aws:sqs, found one of aws:dynamodb'],
    ['FanOut', () => fanOut(context, {} as never), 'aws:sqs, found none'],
  ])('by %s', async (_, answer, message) => {
    await expect(answer()).rejects.toMatchObject({
      code: 'event.unreadable',
      message: expect.stringContaining(message),
    });
  });
});

describe('FanOut', () => {
  /** A message for each voyage. The ids are not positions and not in order. */
  function queueEvent(): SQSEvent {
    return {
      Records: names.map((name) => ({
        ...{ messageId: `message-${name}`, receiptHandle: `handle-${name}` },
        body: JSON.stringify({
          ...{ rule: 'voyage-on-bookings', root: keyIn(voyage(name)), cause: 'changed', attempts: 0 },
          locations: [{ in: 'partition', pk: `line_1#voyage_${name}#bookings` }],
        }),
        attributes: {
          ...{ ApproximateReceiveCount: '1', SentTimestamp: '0' },
          ...{ SenderId: 'sender', ApproximateFirstReceiveTimestamp: '0' },
        },
        ...{ messageAttributes: {}, md5OfBody: '', awsRegion: 'us-east-1' },
        ...{ eventSource: 'aws:sqs', eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:fan-out' },
      })),
    };
  }

  test('returns all, and does not throw, if all fail', async () => {
    const worker = workerWithoutB();
    const { Records } = queueEvent();

    expect(await fanOut(worker.context, { Records: Records.slice(1, 2) })).toEqual({
      batchItemFailures: [{ itemIdentifier: 'message-b' }],
    });
  });

  test('returns a message that could not be dead-lettered', async () => {
    const worker = workerWithoutB();
    const Records = queueEvent().Records.map((record) =>
      record.messageId === 'message-c' ? { ...record, body: 'no message' } : record,
    );

    const { batchItemFailures } = await fanOut(worker.context, { Records });

    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-b' }, { itemIdentifier: 'message-c' }]);
  });

  test('acknowledges all if nothing failed', async () => {
    const worker = workerOver(names.map(voyage));

    expect(await fanOut(worker.context, queueEvent())).toEqual({ batchItemFailures: [] });
  });
});
