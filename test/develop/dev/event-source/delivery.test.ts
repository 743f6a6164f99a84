import type { DynamoDBBatchResponse } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { StreamMappingSettings } from '../../../../src/deploy/stack-settings.ts';
import { deliver, type GivenUp } from '../../../../src/develop/dev/event-source/delivery.ts';
import { IdleTracker } from '../../../../src/develop/dev/event-source/idle-tracker.ts';
import { mappingSettings, pendingRecord, sequenceNumbers, streamRecord } from '../stream-records.ts';

interface Delivered {
  /** The sequence numbers of each invocation's records. */
  readonly invocations: string[][];
  readonly givenUp: GivenUp[];
}

/** Delivers records 1 to `count`; `answer` returns or throws as the function does. */
async function delivered(
  count: number,
  settings: Partial<StreamMappingSettings>,
  answer: (numbers: string[]) => DynamoDBBatchResponse | undefined,
): Promise<Delivered> {
  const invocations: string[][] = [];
  const givenUp: GivenUp[] = [];
  const records = Array.from({ length: count }, (_, at) => pendingRecord(streamRecord(at + 1)));
  await deliver(records, {
    settings: mappingSettings(settings),
    idleTracker: new IdleTracker(),
    retryDelay: { first: 0, max: 0 },
    async invoke({ Records }) {
      invocations.push(sequenceNumbers(Records));
      return answer(sequenceNumbers(Records));
    },
    async giveUp(batch) {
      givenUp.push(batch);
    },
  });
  return { invocations, givenUp };
}

const failing = (...identifiers: string[]): DynamoDBBatchResponse => ({
  batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })),
});
const failsOn = (bad: string) => (numbers: string[]) => (numbers.includes(bad) ? failing(bad) : undefined);
const throwsOn = (bad: string) => (numbers: string[]) => {
  if (numbers.includes(bad)) throw new Error('bad record');
  return undefined;
};
const numbersOf = (batches: readonly GivenUp[]) =>
  batches.map(({ records }) => records.map(({ sequenceNumber }) => sequenceNumber));

describe('a batch', () => {
  it('is delivered once if every record succeeds', async () => {
    const { invocations, givenUp } = await delivered(3, {}, () => ({ batchItemFailures: [] }));
    expect(invocations).toEqual([['1', '2', '3']]);
    expect(givenUp).toEqual([]);
  });

  it('is delivered again from its lowest failed record on', async () => {
    const failures = [failing('4', '2')];
    const { invocations } = await delivered(4, {}, () => failures.shift());
    expect(invocations).toEqual([
      ['1', '2', '3', '4'],
      ['2', '3', '4'],
    ]);
  });

  it('is delivered again as a whole if the function throws', async () => {
    let attempts = 0;
    const { invocations, givenUp } = await delivered(2, {}, () => {
      attempts += 1;
      if (attempts === 1) throw new Error('once');
      return undefined;
    });
    expect(invocations).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
    expect(givenUp).toEqual([]);
  });

  it('succeeds whatever the function returns if the mapping does not report failures', async () => {
    const { invocations } = await delivered(2, { FunctionResponseTypes: [] }, () => failing('1'));
    expect(invocations).toHaveLength(1);
  });

  it('is given up from the failed record on when its retries are used up', async () => {
    const { invocations, givenUp } = await delivered(3, { MaximumRetryAttempts: 2 }, failsOn('2'));
    expect(invocations).toEqual([
      ['1', '2', '3'],
      ['2', '3'],
      ['2', '3'],
    ]);
    expect(numbersOf(givenUp)).toEqual([['2', '3']]);
    expect(givenUp[0]).toMatchObject({ condition: 'RetryAttemptsExhausted', invocations: 3, threw: false });
  });

  it('is given up at once without retries', async () => {
    const { invocations, givenUp } = await delivered(2, { MaximumRetryAttempts: 0 }, throwsOn('1'));
    expect(invocations).toHaveLength(1);
    expect(numbersOf(givenUp)).toEqual([['1', '2']]);
    expect(givenUp[0]).toMatchObject({ threw: true });
  });

  it('is retried without end if retries have no limit', async () => {
    let attempts = 0;
    const { invocations, givenUp } = await delivered(1, { MaximumRetryAttempts: -1 }, () => {
      attempts += 1;
      return attempts <= 50 ? failing('1') : undefined;
    });
    expect(invocations).toHaveLength(51);
    expect(givenUp).toEqual([]);
  });

  it('with bisect gives up only the bad record, and uses up retries only for that one', async () => {
    const settings = { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 2 };
    const { invocations, givenUp } = await delivered(8, settings, throwsOn('6'));
    expect(invocations).toEqual([
      ['1', '2', '3', '4', '5', '6', '7', '8'],
      ['1', '2', '3', '4'],
      ['5', '6', '7', '8'],
      ['5', '6'],
      ['5'],
      ['6'],
      ['6'],
      ['6'],
      ['7', '8'],
    ]);
    expect(numbersOf(givenUp)).toEqual([['6']]);
  });

  it('with bisect is split at the failed record, and the records before it are not delivered again', async () => {
    const settings = { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 0 };
    const { invocations, givenUp } = await delivered(5, settings, failsOn('3'));
    expect(invocations).toEqual([
      ['1', '2', '3', '4', '5'],
      ['3', '4', '5'],
      ['3', '4'],
      ['3'],
      ['4'],
      ['5'],
    ]);
    expect(numbersOf(givenUp)).toEqual([['3']]);
  });

  it('with bisect delivers the first half completely before the second, to keep the order of an item', async () => {
    const settings = { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 1 };
    const { invocations } = await delivered(2, settings, throwsOn('1'));
    expect(invocations).toEqual([['1', '2'], ['1'], ['1'], ['2']]);
  });

  it('gives up records that are too old before the function sees them', async () => {
    const old = streamRecord(1);
    if (old.dynamodb) old.dynamodb.ApproximateCreationDateTime = Math.floor(Date.now() / 1000) - 61;
    const invocations: string[][] = [];
    const givenUp: GivenUp[] = [];
    await deliver([pendingRecord(old), pendingRecord(streamRecord(2))], {
      settings: mappingSettings({ MaximumRecordAgeInSeconds: 60 }),
      idleTracker: new IdleTracker(),
      retryDelay: { first: 0, max: 0 },
      async invoke({ Records }) {
        invocations.push(sequenceNumbers(Records));
        return undefined;
      },
      async giveUp(batch) {
        givenUp.push(batch);
      },
    });
    expect(invocations).toEqual([['2']]);
    expect(numbersOf(givenUp)).toEqual([['1']]);
    expect(givenUp[0]).toMatchObject({ condition: 'RecordAgeExceeded', invocations: 0 });
  });

  it('gives each invocation a separate event', async () => {
    const seen: unknown[] = [];
    await deliver([pendingRecord(streamRecord(1))], {
      settings: mappingSettings({ MaximumRetryAttempts: 1 }),
      idleTracker: new IdleTracker(),
      retryDelay: { first: 0, max: 0 },
      async invoke(event) {
        seen.push(structuredClone(event));
        delete event.Records[0]?.dynamodb;
        throw new Error('after changing the event');
      },
      async giveUp() {},
    });
    expect(seen).toHaveLength(2);
    expect(seen[1]).toEqual(seen[0]);
  });

  it('receives the time when its earliest record was fetched', async () => {
    const told: number[] = [];
    await deliver([pendingRecord(streamRecord(1), 2_000), pendingRecord(streamRecord(2), 1_000)], {
      settings: mappingSettings(),
      idleTracker: new IdleTracker(),
      retryDelay: { first: 0, max: 0 },
      async invoke(_, { fetchedAt }) {
        told.push(fetchedAt);
        return undefined;
      },
      async giveUp() {},
    });
    expect(told).toEqual([1_000]);
  });

  it('is not started again after a stop', async () => {
    const idleTracker = new IdleTracker();
    let invocations = 0;
    await deliver([pendingRecord(streamRecord(1))], {
      settings: mappingSettings({ MaximumRetryAttempts: -1 }),
      idleTracker,
      retryDelay: { first: 60_000, max: 60_000 },
      async invoke() {
        invocations += 1;
        queueMicrotask(() => idleTracker.stop());
        throw new Error('and again');
      },
      async giveUp() {},
    });
    expect(invocations).toBe(1);
  });
});
