import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { explanationText } from '../../src/cli/explain/text.ts';
import { archiveFolderReader, folderNotes } from '../../src/dev/archive-folder.ts';
import { type DevEnvironment, openDevEnvironment } from '../../src/dev/dev-environment.ts';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { deadLetterFolder } from '../../src/dev/queue/dead-letter-folder.ts';
import { explainItem } from '../../src/explain/explain.ts';
import { installParseJson } from '../../src/model/basics/parse-json.ts';
import type { AttributeValue } from '../../src/model/items/attribute-value.ts';
import { readItem } from '../../src/model/items/dynamodb-json.ts';
import { type Item, type ItemKey, keyIn } from '../../src/model/items/item.ts';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { defineArchive } from '../../src/model/rules/archive-rule.ts';
import { defineAggregate } from '../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../src/model/rules/define-rule.ts';
import { count, sum } from '../../src/model/rules/reducers.ts';
import { makeRegistry } from '../../src/model/rules/registry.ts';
import { dynamoDbPut } from '../../src/operate/adapters/dynamodb/write-item.ts';
import { listItems, readState } from '../../src/operate/archive/read-states.ts';
import { type RestoreOutcome, restore } from '../../src/operate/archive/restore.ts';
import { itemView } from '../../src/page/views/item-view.ts';
import { failuresView, redriveFailures, verify } from '../../src/page/views/trouble.ts';
import { table as names } from '../../src/table.ts';
import { sameItem } from '../../src/testing/table-model/same-value.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../../src/worker/adapters/dynamodb/read-pages.ts';
import { systemClock } from '../../src/worker/adapters/system-clock.ts';
import { Budget } from '../../src/worker/budget.ts';
import { defaultSettings } from '../../src/worker/ports.ts';
import { settingsFor } from '../fixtures/application/stack.ts';
import { hostileItems, hostileTexts, isPrintable } from '../fixtures/hostile-items.ts';
import { item } from '../fixtures/model/items.ts';

const box = defineKind({
  name: 'Box',
  type: 'Box',
  pk: 'BOX',
  sk: 'BOX',
  attributes: z.object({ Things: z.number(), Weight: z.number() }),
});
const thing = defineKind({
  name: 'Thing/§',
  type: 'Thing',
  pk: 'BOX',
  sk: 'THING#{thing}',
  attributes: z.object({ Label: z.string(), Weight: z.number() }),
});
const copy = defineKind({
  name: 'Copy',
  type: 'Copy',
  pk: 'COPY#{thing}',
  sk: 'COPY',
  attributes: z.object({ Loud: z.string() }),
});

const copies = defineRule({
  name: 'things-on-copies',
  root: thing,
  copy,
  copies: 'all',
  unknown: 'remove',
  reads: { root: ['Label'] },
  derive: { Loud: ({ root }) => root.Label.toUpperCase() },
  located: { in: 'key', at: ({ ids }) => copy.key(ids) },
  rootOf: ({ ids }) => thing.key(ids),
  creates: true,
  onDelete: 'keep',
  onExpire: 'keep',
});
const totals = defineAggregate({
  name: 'things-in-box',
  of: thing,
  on: box,
  members: { in: 'partition', at: () => ({ pk: 'BOX', begins: 'THING#' }) },
  targetsOf: () => [box.key({})],
  computes: { Things: count(), Weight: sum('Weight') },
});
const archives = [
  defineArchive({ name: 'archive-things', kinds: [thing], layout: 'object' }),
  defineArchive({ name: 'archive-copies', kinds: [copy], layout: 'batch' }),
];
const registry = makeRegistry(names, [copies], archives, [], [totals]);
/** Without the aggregate, for which each explanation reads all items. */
const explained = makeRegistry(names, [copies], archives);

/** Every hostile item: of attributes without end as many as are copied. */
const hostile = {
  ...hostileItems,
  '4,000 attributes': Object.fromEntries(
    Object.entries(hostileItems['4,000 attributes'] ?? {}).slice(0, 490),
  ),
};
/** Each under a key that says what is hostile about it or is it. */
const things = Object.entries(hostile).map(
  ([what, attributes]): Item => ({
    ...attributes,
    ...item({ PK: 'BOX', SK: `THING#${hostileTexts[what] ?? what}`, Type: 'Thing' }),
    ...item({ Label: what, Weight: 1 }),
  }),
);
const keys = things.map((one) => keyIn(names, one));
const copyKey = ({ sk }: ItemKey): ItemKey => ({ pk: sk.replace('THING', 'COPY'), sk: 'COPY' });
const copyKeys = keys.map(copyKey);

const folder = mkdtempSync(join(tmpdir(), 'denorm-hostile-'));
const failures: string[] = [];
let dev: DevEnvironment;
let client: DynamoDBClient;
let access: Parameters<typeof dynamoDbTable>[0];

beforeAll(async () => {
  installParseJson();
  dev = await openDevEnvironment({
    ...{ registry, stack: settingsFor(registry), tableName: 'app', stateDir: folder },
    onFailed: (reason) => failures.push(reason),
  });
  client = new DynamoDBClient(loopbackClientSettings(dev.endpoint));
  access = { client, tableName: 'app', table: names };
  // Every other copy exists already, and lacks all that its root has.
  const stale = copyKeys.filter((_, index) => index % 2 === 1);
  await put(...stale.map(({ pk, sk }) => item({ PK: pk, SK: sk, Type: 'Copy', Loud: '' })));
  await put(item({ PK: 'BOX', SK: 'BOX', Type: 'Box' }), ...things);
});
afterAll(async () => {
  client?.destroy();
  await dev?.close();
  rmSync(folder, { recursive: true, force: true });
});

const table = () => dynamoDbTable(access);
const deadLetters = () => failuresView(deadLetterFolder(folder), registry);

async function settled(): Promise<void> {
  await dev.idle();
  dev.deliverDelayedNow();
  await dev.idle();
}

async function put(...items: readonly Item[]): Promise<void> {
  const putter = dynamoDbPut(access);
  await Promise.all(items.map((one) => putter.overwrite(one)));
  await settled();
}

async function setAll(of: readonly ItemKey[], attribute: string, value: AttributeValue): Promise<void> {
  const set = { [attribute]: value };
  await table().update(of.map((key) => ({ key, set, remove: [], expect: {} })));
  await settled();
}

/** What is hostile about the items for which this does not hold. */
async function failing(holds: (key: ItemKey, item: Item) => boolean | Promise<boolean>): Promise<string[]> {
  const hold = await Promise.all(things.map((one) => holds(keyIn(names, one), one)));
  return Object.keys(hostile).filter((_, index) => hold[index] !== true);
}

function copyOf(key: ItemKey, { [names.pk]: _, [names.sk]: __, ...attributes }: Item): Item {
  const { pk, sk } = copyKey(key);
  const Label = 'Label' in attributes && attributes['Label'];
  const label = Label && 'S' in Label ? Label.S : '';
  return { ...attributes, ...item({ PK: pk, SK: sk, Type: 'Copy', Loud: label.toUpperCase() }) };
}

const allRight = () =>
  failing(
    async (key, one) =>
      sameItem((await table().get(key))?.item, one) &&
      sameItem((await table().get(copyKey(key)))?.item, copyOf(key, one)),
  );

describe('hostile items', () => {
  test('are copied, and none is in the way of another', async () => {
    expect(await allRight()).toEqual([]);
    expect([failures, (await deadLetters()).failures]).toEqual([[], []]);
  });

  test('called __proto__ are lost by the SDK, and harm nothing else', async () => {
    const polluted = { M: { isPrintable: { BOOL: true } } };
    await setAll(keys, '__proto__', polluted);
    expect(await allRight()).toEqual([]);
    expect(Object.getPrototypeOf({})).not.toHaveProperty('isPrintable');
    await table().update(keys.map((key) => ({ key, set: {}, remove: ['__proto__'], expect: {} })));
    await settled();
  });

  test('count', async () => {
    const number = String(things.length);
    expect(await table().get(box.key({}))).toMatchObject({
      item: { Things: { N: number }, Weight: { N: number } },
    });
  });

  test('are explained', async () => {
    const options = { registry: explained, table: table(), settings: defaultSettings, values: true };
    const wrong = await failing(async (key) =>
      isPrintable(explanationText(explained.table, await explainItem({ ...options, maxDeliveries: 9 }, key))),
    );
    expect(wrong).toEqual([]);
  });

  test('are shown by the page, whose server sends JSON', async () => {
    const source = { registry: explained, table: table(), settings: defaultSettings };
    const wrong = await failing(async (key, one) => {
      const view = JSON.parse(JSON.stringify(await itemView(source, key)));
      return sameItem(readItem(view.item), one) && view.roles.length > 0;
    });
    expect(wrong).toEqual([]);
  });

  test('have not drifted', async () => {
    expect(await verify(registry, table(), dynamoDbScan(access))).toMatchObject({
      copies: things.length + 1,
      drift: [],
    });
  });

  test('are archived in both layouts, expire, and are restored', async () => {
    const later = { N: String(Math.ceil(Date.now() / 1000) + 3_600) };
    await setAll([...keys, ...copyKeys], names.ttl, later);
    const reader = archiveFolderReader(folder);
    const states = new Map<string, Item>();
    for await (const { key, states: [newest] = [] } of listItems(reader, names))
      if (key && newest) states.set(JSON.stringify(key), await readState(reader, newest));
    const isArchived = (key: ItemKey, one: Item) =>
      sameItem(states.get(JSON.stringify(key)), { ...one, [names.ttl]: later });
    expect(
      await failing((key, one) => isArchived(key, one) && isArchived(copyKey(key), copyOf(key, one))),
    ).toEqual([]);

    // The roots first: a copy whose root still says later is given back that time.
    for (const some of [keys, copyKeys]) {
      const present = (await table().getMany(some)).map(({ key }) => key);
      await setAll(present, names.ttl, { N: String(Math.floor(Date.now() / 1000) - 10) });
    }
    expect(await table().getMany([...keys, ...copyKeys])).toEqual([]);
    const outcomes: RestoreOutcome['is'][] = [];
    await restore(
      {
        ...{ names, reader, table: table(), put: dynamoDbPut(access), clock: systemClock },
        ...{ notes: folderNotes(folder), writes: new Budget(Number.POSITIVE_INFINITY, systemClock) },
        choose: (of) => of.at(-1),
        ...{ overwrite: false, dryRun: false, concurrency: 8, stop: () => false, waitEvery: undefined },
        retrieving: { tier: 'Standard', days: 1 },
        onOutcome: ({ is }) => outcomes.push(is),
      },
      listItems(reader, names),
    );
    await settled();
    expect(outcomes.every((is) => is === 'restored' || is === 'exists')).toBe(true);
    expect(await allRight()).toEqual([]);
    expect(failures).toEqual([]);
  });

  test('are dead-lettered and redriven', async () => {
    await setAll(keys, 'Label', { NULL: true });
    const { failures: found } = await deadLetters();
    const roots = new Set(found.map(({ root }) => JSON.stringify(root)));
    expect(await failing((key) => roots.has(JSON.stringify(key)))).toEqual([]);

    await put(...things);
    const ids = found.map(({ id }) => id);
    if (dev.queue === undefined) throw new Error('Expected a worker');
    expect(
      await redriveFailures({ reader: deadLetterFolder(folder), registry, queue: dev.queue }, ids),
    ).toMatchObject({
      text: expect.stringContaining(`${ids.length} items redriven`),
    });
    await settled();
    expect(await allRight()).toEqual([]);
    expect([failures, (await deadLetters()).failures]).toEqual([[], []]);
  });

  test('of more attributes than are copied are refused once, and delay no other', async () => {
    const many = things.findLast((one) => Object.hasOwn(one, 'A489')) ?? expect.fail('none has so many');
    const [other = many] = things;
    await put({ ...many, ...hostileItems['4,000 attributes'] }, { ...other, Label: { S: 'renamed' } });

    expect((await deadLetters()).failures).toMatchObject([
      { code: 'root.too-many-attributes', root: keyIn(names, many) },
    ]);
    expect(await table().get(copyKey(keyIn(names, other)))).toMatchObject({
      item: { Loud: { S: 'RENAMED' } },
    });
    expect(failures).toEqual([]);
  });
});
