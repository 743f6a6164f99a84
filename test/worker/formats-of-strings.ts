import config from '../../denorm.config.ts';
import { ModelWorker } from '../../src/develop/testing/table-model/model-worker.ts';
import { metadataOf } from '../../src/worker/adapters/s3/object-metadata.ts';

/** What leaves the worker of this repository's rules: messages with cursors and locations, and objects. */
export async function formatsOfStrings() {
  const worker = new ModelWorker(config.registry(), { pageLimit: 3 });
  const { table, queue, archive } = worker;
  const put = (PK: string, SK: string, more: Readonly<Record<string, string>> = {}) =>
    table.put(Object.fromEntries(Object.entries({ PK, SK, ...more }).map(([name, S]) => [name, { S }])));
  for (let n = 0; n < 8; n += 1) {
    const keys = { GSI1PK: 'USER#1', GSI1SK: `SERVER#${n}`, userId: '1' };
    put(`SERVER#${n}`, 'USER#1', { Type: 'Membership', serverId: String(n), username: 'A', ...keys });
    put('ORDER#1/2', `ITEM#${n}`, { Type: 'OrderItem', orderDate: '1' });
  }
  put('USER#1', '#METADATA', { Type: 'User', userId: '1', username: 'B', email: 'b' });
  const order = {
    Type: 'Order',
    orderId: '1/2',
    userId: '1',
    status: 'PAID',
    orderDate: '2026-01-02T03:04:05Z',
  };
  put('ORDER#1/2', 'METADATA', order);
  await worker.rest();
  table.update({ pk: 'ORDER#1/2', sk: 'METADATA' }, { set: { ExpiresAt: { N: '1' } } });
  table.expire({ pk: 'ORDER#1/2', sk: 'METADATA' });
  await worker.rest();
  await worker.archiveRest();
  return {
    messages: queue.sent.map(({ message }) => JSON.stringify(message)),
    objects: archive.keys().flatMap((key) =>
      archive.versions(key).map(({ body, digest = '', sequence = 0n, of }) => ({
        ...{ key, body, metadata: metadataOf(digest, sequence, of ?? { pk: 'ORDER#1/2', sk: 'é' }) },
      })),
    ),
  };
}
