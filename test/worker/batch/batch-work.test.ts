import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../src/model/basics/errors.ts';
import { RecordingTelemetry } from '../../../src/testing/table-model/model-worker.ts';
import { BatchWork } from '../../../src/worker/batch/batch-work.ts';

describe('the work of a batch', () => {
  test.each<[string, () => Promise<void>]>([
    ['was done', async () => {}],
    ['failed for now', () => Promise.reject(new TransientError('queue.refused', 'refused'))],
  ])('marks only the record that cannot be processed if another %s', async (_, other) => {
    const work = new BatchWork(1, new RecordingTelemetry());
    await work.run(['1'], () => Promise.reject(new FatalError('aws.denied', 'denied')));
    await work.run(['2'], other);

    expect(work.outcome().get('1')).toMatchObject({ code: 'aws.denied' });
  });

  test('was in vain if a record also fails for another reason', async () => {
    const work = new BatchWork(1, new RecordingTelemetry());
    await work.run(['1'], () => Promise.reject(new FatalError('aws.denied', 'denied')));
    await work.run(['1'], () => Promise.reject(new TransientError('queue.refused', 'refused')));

    expect(() => work.outcome()).toThrow('denied');
  });
});
