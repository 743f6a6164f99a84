import { describe, expect, test } from 'vitest';
import { RecordingTelemetry } from '../../../src/develop/testing/table-model/recording-telemetry.ts';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import { BatchWork } from '../../../src/worker/batch/batch-work.ts';

describe('the work of a batch', () => {
  test('marks the records whose work failed, and reports them', async () => {
    const telemetry = new RecordingTelemetry();
    const attempts = new BatchWork(2, telemetry);
    const error = new TransientError('queue.refused', 'refused');

    await attempts.run(['1', '2'], () => Promise.reject(error));
    await attempts.run(['3'], async () => {});

    expect([...attempts.outcome()]).toEqual([
      ['1', error],
      ['2', error],
    ]);
    expect(telemetry.failures).toEqual([error]);
  });

  test('runs concurrently up to its limit', async () => {
    const attempts = new BatchWork(2, new RecordingTelemetry());
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    };

    await Promise.all(Array.from({ length: 10 }, () => attempts.run(['1'], work)));

    expect(most).toBe(2);
  });

  test('marks the records whose work could not be planned', () => {
    const attempts = new BatchWork(1, new RecordingTelemetry());

    expect(attempts.plan(['1'], () => 7)).toBe(7);
    expect(
      attempts.plan(['2'], () => {
        throw new TypeError('x');
      }),
    ).toBeUndefined();
    expect([...attempts.outcome().keys()]).toEqual(['2']);
  });

  test('fails the batch if nothing in it can be processed, and keeps that error if a record fails again', async () => {
    const work = new BatchWork(1, new RecordingTelemetry());
    await work.run(['1'], () => Promise.reject(new FatalError('aws.denied', 'denied')));
    await work.run(['1'], () => Promise.reject(new TransientError('queue.refused', 'refused')));
    await work.run(['1', '2'], () => Promise.reject(new FatalError('aws.denied', 'denied')));

    expect(() => work.outcome()).toThrow(expect.objectContaining({ code: 'aws.denied' }));
  });

  test.each<[string, () => Promise<void>]>([
    ['was done', async () => {}],
    ['failed for now', () => Promise.reject(new TransientError('queue.refused', 'refused'))],
  ])('marks only the record that cannot be processed if another %s', async (_, other) => {
    const work = new BatchWork(1, new RecordingTelemetry());
    await work.run(['1'], () => Promise.reject(new FatalError('aws.denied', 'denied')));
    await work.run(['2'], other);

    expect(work.outcome().get('1')).toMatchObject({ code: 'aws.denied' });
  });

  test('is done if there was none', () => {
    expect([...new BatchWork(1, new RecordingTelemetry()).outcome()]).toEqual([]);
  });
});
