import { describe, expect, test } from 'vitest';
import { ModelWorker } from '../../src/develop/testing/table-model/model-worker.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';

const registry = loadRules({ statusShards: 1, disabled: [] });

describe('the model worker', () => {
  test('updates memberships over several pages of an index, and comes to rest', async () => {
    const worker = new ModelWorker(registry, { pageLimit: 2 });
    worker.table.put({
      PK: { S: 'USER#1' },
      SK: { S: '#METADATA' },
      Type: { S: 'User' },
      username: { S: 'new' },
    });
    for (const server of ['a', 'b', 'c', 'd', 'e'])
      worker.table.put({
        PK: { S: `SERVER#${server}` },
        SK: { S: 'USER#1' },
        Type: { S: 'Membership' },
        userId: { S: '1' },
        username: { S: 'old' },
        GSI1PK: { S: 'USER#1' },
        GSI1SK: { S: `SERVER#${server}` },
      });

    await worker.rest();

    expect(worker.table.partition('SERVER#e')).toMatchObject([{ username: { S: 'new' } }]);
    expect(worker.port.counts.itemsWritten).toBe(5);
    expect(worker.queue.sent.filter(({ delaySeconds }) => delaySeconds > 0)).toMatchObject([
      { message: { recheck: true }, delaySeconds: 60 },
    ]);
  });

  test('keeps the last state of an order that expires', async () => {
    const worker = new ModelWorker(registry);
    worker.table.put({
      PK: { S: 'ORDER#1' },
      SK: { S: 'METADATA' },
      Type: { S: 'Order' },
      Status: { S: 'PAID' },
      ExpiresAt: { N: '1' },
    });
    worker.table.expire({ pk: 'ORDER#1', sk: 'METADATA' });

    await worker.archiveRest();

    expect(worker.archive.keys()).toEqual([
      expect.stringMatching(/^archive\/Order\/ORDER%231\/METADATA\.json\.\d+$/),
    ]);
  });
});
