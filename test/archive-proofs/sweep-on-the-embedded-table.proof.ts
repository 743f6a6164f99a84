import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BatchWriteItemCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loopbackClientSettings } from '../../src/develop/dev/loopback.ts';
import {
  type EmbeddedTableServer,
  startEmbeddedTableServer,
} from '../../src/develop/dev/table/embedded-table-server.ts';
import { Random } from '../../src/develop/testing/simulation/random.ts';
import type { Item } from '../../src/model/item.ts';
import { table } from '../../src/table.ts';
import { fromSdk } from '../../src/worker/adapters/dynamodb/sdk-values.ts';
import { digestOf } from '../../src/worker/archive/object.ts';
import { createTable } from '../worker/adapters/dynamodb/table-fixture.ts';
import { figuresText } from './figures.ts';

const size = Number(process.env.DENORM_TEST_SWEPT ?? 10_000);
const seed = Number(process.env.DENORM_TEST_SEED ?? 1);

/** Read units a second. */
const budget = 250;

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'denorm-swept-'));
let server: EmbeddedTableServer;
let client: DynamoDBClient;

beforeAll(async () => {
  server = await startEmbeddedTableServer();
  client = new DynamoDBClient(loopbackClientSettings(server.endpoint));
  // Without a stream, with which the server slows down as it is written.
  await createTable(client, 'app', table);
});

afterAll(async () => {
  client.destroy();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Sourced {
  readonly item: Readonly<Record<string, unknown>>;
  readonly source: 'swept' | 'left';
}

test(`denorm sweep over ${size} items, killed twice, misses no item and sweeps none twice`, async () => {
  const items = itemsOf(size, new Random(seed));
  await putAll(items.map(({ item }) => item));
  const before = await readAll();
  const runs: string[] = [];
  const after: Map<string, Item>[] = [];
  for (const share of [0.3, 0.65]) {
    const sweep = begin();
    const count = items.filter(({ source }) => source === 'swept').length * share;
    await until(() => bodiesBelow(join(folder, 'kept/archive')).length >= count);
    sweep.process.kill('SIGKILL');
    await sweep.exited;
    after.push(await readAll());
    runs.push(`killed with ${expiring(after.at(-1))} swept`);
  }
  const started = performance.now();
  const last = begin();
  const code = await last.exited;
  const seconds = (performance.now() - started) / 1000;
  const { summary } = JSON.parse(last.stdout());
  const units: number = summary.rules.reduce(
    (sum: number, { readUnits }: { readUnits: number }) => sum + readUnits,
    0,
  );
  runs.push(`finished in ${seconds.toFixed(1)} s with ${units} read units`);

  const end = await readAll();
  const missed = items.filter(
    ({ item, source }) => (end.get(keyIn(item))?.ExpiresAt !== undefined) !== (source === 'swept'),
  );
  const changed = [...end].filter(
    ([key, { ExpiresAt: _, ...rest }]) => digestOf(rest) !== digestOf(before.get(key) ?? {}),
  );
  // Whatever had its expiry when a run was killed has the same in the end.
  const twice = after.flatMap((state) =>
    [...state].filter(
      ([key, { ExpiresAt }]) =>
        ExpiresAt !== undefined &&
        digestOf({ ExpiresAt }) !== digestOf({ ExpiresAt: end.get(key)?.ExpiresAt ?? { NULL: true } }),
    ),
  );
  const objects = bodiesBelow(join(folder, 'kept/archive'));
  const replaced = objects.filter((path) => !path.endsWith('@00000001/body'));
  const states = objects.map((path) => digestOf(JSON.parse(readFileSync(path, 'utf8')).Item)).toSorted();
  console.log(
    figuresText('A sweep on the embedded table', {
      items: items.length,
      'to be swept': items.filter(({ source }) => source === 'swept').length,
      runs: runs.join('; '),
      'objects in the archive': objects.length,
      'bodies that were replaced': replaced.length,
    }),
  );
  expect({ missed, changed, twice }).toEqual({ missed: [], changed: [], twice: [] });
  expect(states).toEqual(
    items
      .filter(({ source }) => source === 'swept')
      .map(({ item }) => digestOf(before.get(keyIn(item)) ?? {}))
      .toSorted(),
  );
  expect(replaced).toEqual([]);
  expect(units).toBeLessThanOrEqual(seconds * budget + budget);
  expect(code).toBe(0);
});

/** Orders with items, and incidents with data and participations; half of them have aged. */
function itemsOf(most: number, random: Random): Sourced[] {
  const items: Sourced[] = [];
  for (let id = 0; items.length < most; id += 1) {
    const source = random.chance(0.5) ? 'swept' : 'left';
    if (random.chance(0.5)) items.push(...order(id, source, random));
    else items.push(...incident(id, source, random));
  }
  return items;
}

function order(id: number, source: Sourced['source'], random: Random): Sourced[] {
  const CreatedAt = `2024-0${random.int(1, 9)}-1${random.int(0, 9)}T09:30:00.${id}`;
  const Status = source === 'swept' ? random.pick(['DELIVERED', 'CANCELLED']) : 'SHIPPED';
  const root = {
    ...{ PK: `ORDER#${id}`, SK: 'METADATA', Type: 'Order', UserId: `${id}`, Total: 9.99, Status, CreatedAt },
    ...{ GSI2PK: `STATUS#${Status}`, GSI2SK: `ORDER#${CreatedAt}` },
  };
  const products = Array.from({ length: random.int(0, 3) }, (_, product) => ({
    ...{ PK: root.PK, SK: `ITEM#p-${product}`, Type: 'OrderItem', ProductId: `p-${product}`, Price: 1.5 },
    ...{ GSI3PK: `PRODUCT#p-${product}`, GSI3SK: `SALE#${CreatedAt}` },
  }));
  const copy = { PK: `USER#${id}`, SK: `ORDER#${CreatedAt}`, Type: 'UserOrder', OrderId: `${id}`, Status };
  return [...[root, ...products].map((item) => ({ item, source })), { item: copy, source: 'left' }];
}

function incident(id: number, source: Sourced['source'], random: Random): Sourced[] {
  const said = {
    State: source === 'swept' ? 'CLOSED' : 'OPEN',
    CreatedAt: 1_614_194_921 + id,
    Title: 'High load',
  };
  const root = { PK: `acct_${id}#inc`, SK: `inc_${id}`, ...said };
  const data = { PK: `acct_${id}#inc_${id}`, SK: 'data', Details: 'x'.repeat(random.int(1, 2_000)) };
  const copy = { PK: `acct_${id}#inc_${id}#incpart`, SK: 'user_1', ParticipantID: 'user_1', ...said };
  return [...[root, data].map((item) => ({ item, source })), { item: copy, source: 'left' }];
}

function keyIn(item: Readonly<Record<string, unknown>>): string {
  return `${item['PK']} ${item['SK']}`;
}

async function putAll(items: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  for (let start = 0; start < items.length; start += 25) {
    const app = items.slice(start, start + 25).map((item) => ({ PutRequest: { Item: marshall(item) } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { app } }));
  }
}

async function readAll(): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  let from: Awaited<ReturnType<typeof scan>>['LastEvaluatedKey'];
  do {
    const { Items = [], LastEvaluatedKey } = await scan(from);
    for (const one of Items) found.set(`${one['PK']?.S} ${one['SK']?.S}`, fromSdk(one));
    from = LastEvaluatedKey;
  } while (from !== undefined);
  return found;
}

function scan(ExclusiveStartKey: ScanCommand['input']['ExclusiveStartKey']) {
  return client.send(new ScanCommand({ TableName: 'app', ExclusiveStartKey, ConsistentRead: true }));
}

function expiring(state: ReadonlyMap<string, Item> | undefined): number {
  return [...(state?.values() ?? [])].filter(({ ExpiresAt }) => ExpiresAt !== undefined).length;
}

/** A run of the command, as a process of its own. */
function begin(): { process: ChildProcess; exited: Promise<number | null>; stdout: () => string } {
  const where = ['--endpoint', server.endpoint, '--archive-dir', 'kept'];
  const child = spawn(process.execPath, [main, 'sweep', ...where, '--rcu', String(budget), '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return { process: child, exited, stdout: () => stdout };
}

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 120_000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error('Expected the sweep to come so far within 120 s');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function bodiesBelow(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .map((name) => join(path, name))
      .filter((path) => path.endsWith('/body'));
  } catch {
    return [];
  }
}
