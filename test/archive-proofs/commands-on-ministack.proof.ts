import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonTool } from '../../scripts/python-tools.ts';
import { loopbackClientSettings } from '../../src/develop/dev/loopback.ts';
import { startMiniStack } from '../../src/develop/dev/sam/ministack.ts';
import { ApplicationTable } from '../../src/develop/dev/table/application-table.ts';
import { createTable } from '../../src/develop/dev/table/create-table.ts';
import { type ArchiveLayout, defineArchive, type StorageClass } from '../../src/model/archive-rule.ts';
import { canonicalMap } from '../../src/model/attribute-value.ts';
import { type Item, keyOf } from '../../src/model/item.ts';
import { makeRegistry } from '../../src/model/registry.ts';
import { dynamoDbPut } from '../../src/operate/adapters/dynamodb/put-item.ts';
import { streamHistory, streamOf } from '../../src/operate/adapters/dynamodb/stream-history.ts';
import { readHistory } from '../../src/operate/archive/audit/read-history.ts';
import { silentTelemetry } from '../../src/operate/offline/silent-telemetry.ts';
import { order, orderItem } from '../../src/rules/shop-items.ts';
import { table as names } from '../../src/table.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { s3Archive } from '../../src/worker/adapters/s3/s3-archive.ts';
import { systemClock } from '../../src/worker/adapters/system-clock.ts';
import { archiveBatch } from '../../src/worker/archive/archive-batch.ts';
import { anOrder, anOrderItem } from '../cli/archive/archive-fixture.ts';
import { run } from '../cli/denorm.ts';
import { settings } from '../fixtures/application/stack.ts';
import { newFolder } from '../suites/new-folder.ts';

const isThere = existsSync(pythonTool('ministack', 'ministack'));
const key = '{"PK":"ORDER#1","SK":"METADATA"}';

/** The commands as an operator runs them, against services that are none of ours: one endpoint for table and bucket. */
describe.skipIf(!isThere)('the archive’s commands on MiniStack', () => {
  let stack: Awaited<ReturnType<typeof startMiniStack>>;

  beforeAll(async () => {
    stack = await startMiniStack();
  });

  afterAll(() => stack?.stop());

  // MiniStack retrieves what stands under a key, and no version of it by its id: objects are read from another class there.
  test.each([
    ['object', 'STANDARD_IA'],
    ['batch', 'GLACIER'],
  ] as const)(
    'list, show, restore and prove, in the layout %s and the class %s',
    async (layout, storageClass) => {
      const inGlacier = storageClass === 'GLACIER';
      const shop = await openShop(stack.endpoint, layout, storageClass);
      const orders = [anOrder('1'), anOrder('2'), anOrderItem('1', 'p')];
      for (const item of orders) await shop.put(item);
      await shop.archive();
      const at = ['--endpoint', stack.endpoint, '--bucket', shop.bucket];
      const both = [...at, '--table', shop.tableName, '--grace', '1'];

      const proven = await run(['archive', 'audit', ...both, '--read'], newFolder());
      expect(proven.stdout).toContain('3 with an expiry');
      expect(proven.stdout).toContain(inGlacier ? '0 objects read in' : '3 objects read in');
      expect(proven.stdout).toContain(`${inGlacier ? 3 : 0} not read, because they are in Glacier`);
      expect(proven.code).toBe(0);
      for (const item of orders) await shop.remove(item);
      const early = await run(['archive', 'audit', ...both, '--json'], newFolder());
      // Where an object already holds the last state nothing is missing; a batch has a line for each end.
      expect(early.code).toBe(layout === 'object' ? 0 : 1);
      await shop.archive();
      expect((await run(['archive', 'audit', ...both], newFolder())).stdout).toContain(
        '3 items ended, 0 to erase',
      );

      expect((await run(['archive', 'list', ...at, '--kind', 'Order'], newFolder())).stdout).toMatch(
        /2 items in s3:\/\/\S+\n$/,
      );
      const shown = await run(
        ['archive', 'show', key, ...at, '--wait', '--tier', 'Expedited', '--dynamodb-json'],
        newFolder(),
      );
      expect(canonicalMap(JSON.parse(shown.stdout))).toBe(canonicalMap(orders[0] ?? {}));
      const restored = await run(
        ['archive', 'restore', '--all', ...at, '--table', shop.tableName, '--wait', '--tier', 'Expedited'],
        newFolder(),
      );
      expect(restored).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`3 items restored to ${shop.tableName}`),
      });
      for (const { [names.ttl]: _, ...item } of orders)
        expect(canonicalMap((await shop.read(item)) ?? {})).toBe(canonicalMap(item));
      shop.close();
    },
  );
});

/** A table and a bucket, both new, with the worker's archiving between them as this test lets it. */
async function openShop(endpoint: string, layout: ArchiveLayout, storageClass: StorageClass) {
  const tableName = `shop-${layout}`;
  const bucket = `archive-${randomUUID()}`;
  await createTable(endpoint, tableName, settings.table);
  const client = new DynamoDBClient(loopbackClientSettings(endpoint));
  const streams = new DynamoDBStreamsClient(loopbackClientSettings(endpoint));
  const s3 = new S3Client({ ...loopbackClientSettings(endpoint), forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const VersioningConfiguration = { Status: 'Enabled' as const };
  await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
  const rule = defineArchive({ name: 'archive-orders', kinds: [order, orderItem], layout });
  const table = dynamoDbTable({ client, tableName, table: names });
  const put = dynamoDbPut({ client, tableName, table: names });
  const items = new ApplicationTable(endpoint, tableName, names);
  const context = {
    ...{ registry: makeRegistry(names, [], [rule]), table, telemetry: silentTelemetry, concurrency: 8 },
    archive: s3Archive({ client: s3, bucket, storageClass }),
    queue: { deadLetter: async () => {} },
    nonce: () => crypto.getRandomValues(new Uint8Array(8)),
  };
  const history = streamHistory({
    ...{ client: streams, streamArn: await streamOf(client, tableName), table: names },
    evidence: { globalTableReplica: true },
  });
  return {
    tableName,
    bucket,
    put: (item: Item) => put.overwrite(item),
    remove: (item: Item) => items.delete(keyIn(item)),
    read: (item: Item) => table.get(keyIn(item)),
    /** Archives what the stream says, from its beginning. */
    archive: () =>
      readHistory({
        ...{ history, clock: systemClock, pause: 0 },
        visit: async (changes) => {
          const records = changes.map((says) => ({ id: String(says.sequence), says }));
          expect(await archiveBatch(context, records)).toEqual(new Map());
        },
      }),
    close() {
      for (const one of [client, streams, s3]) one.destroy();
      items.close();
    },
  };
}

function keyIn(item: Item) {
  const found = keyOf(names, item);
  if (found === undefined) throw new Error('Expected an item with a key');
  return found;
}
