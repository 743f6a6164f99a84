import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import type { Change } from '../../../src/model/items/change.ts';
import { type Item, type ItemKey, sameKey } from '../../../src/model/items/item.ts';
import { nothingPaused } from '../../../src/model/rules/pauses.ts';
import type { Registry } from '../../../src/model/rules/registry.ts';
import type { GuardedUpdate, WriteOutcome, WrittenFor } from '../../../src/model/work/guarded-write.ts';
import type { PropagationReport } from '../../../src/model/work/report.ts';
import { matchRules } from '../../../src/page/dev-page.ts';
import { Journal } from '../../../src/page/server/journal.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import type { TablePort } from '../../../src/worker/ports.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { aSale, salesOfDay } from '../../fixtures/world/days.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { registryOf } from '../../fixtures/world/world.ts';
import { likes } from '../../simulation/likes-rules.ts';

const registry = config.registry();
const rule = 'username-on-memberships';
const userKey = { pk: 'USER#1', sk: '#METADATA' };
const propagation = { rule, root: userKey, cause: 'changed' } as const;
const check = { rule, root: userKey, cause: 'check' } as const;

function user(username: string): Item {
  return texts({ PK: 'USER#1', SK: '#METADATA', Type: 'User', userId: '1', username });
}

function membership(server: string, username: string): Item {
  const keys = { PK: `SERVER#${server}`, SK: 'USER#1', GSI1PK: 'USER#1', GSI1SK: `SERVER#${server}` };
  return texts({ ...keys, Type: 'Membership', userId: '1', username });
}

function texts(attributes: Readonly<Record<string, string>>): Item {
  return Object.fromEntries(Object.entries(attributes).map(([name, S]) => [name, { S }]));
}

let sequence = 0n;
let now = 0;
let journal: Journal;

function change(before: Item | undefined, after: Item | undefined): Change {
  sequence += 1n;
  const item: Item = after ?? before ?? {};
  const part = (name: string) => (item[name] !== undefined && 'S' in item[name] ? item[name].S : '');
  return { key: { pk: part('PK'), sk: part('SK') }, before, after, sequence, expired: false, at: undefined };
}

function report(more: Partial<PropagationReport>): PropagationReport {
  return {
    ...{ rule, root: userKey, cause: 'changed', recheck: false, written: 0, removed: 0, unchanged: 0 },
    ...{ lost: 0, orphans: 0, foreign: 0, deadLettered: 0, requeued: 0, narrowed: 0, skipped: 0 },
    absent: 0,
    ...{ pace: undefined, changedAt: undefined },
    ...more,
  };
}

const membershipKey = (server: string) => ({ pk: `SERVER#${server}`, sk: 'USER#1' });

/** The worker sends a write of a membership through its table, whose outcome is this. */
function sends(outcome: Promise<WriteOutcome>, update: Partial<GuardedUpdate> = {}): Promise<unknown> {
  const port: TablePort = {
    ...{ get: async () => undefined, getMany: async () => [], transact: async () => [] },
    query: async () => ({ entries: [], next: undefined }),
    update: async () => [await outcome],
  };
  const set = { username: { S: 'Grace' } };
  return journal.writes
    .of(port)
    .update([
      { ...{ key: membershipKey('1'), set, remove: [], expect: {}, writtenFor: propagation }, ...update },
    ]);
}

/** The worker writes the name of a membership, and its record comes back. */
async function writes(server: string, writtenFor: WrittenFor = propagation): Promise<void> {
  now += 5;
  await sends(Promise.resolve('written'), { key: membershipKey(server), writtenFor });
  journal.seen([change(membership(server, 'Ada'), membership(server, 'Grace'))]);
}

function journalOf(of: Registry): Journal {
  return new Journal({
    ...{ registry: of, match: (one) => matchRules(of, one), count: async () => 900, now: () => now },
  });
}

const latest = () => journal.since(0).at(-1);

beforeEach(() => {
  now = 1_000;
  journal = journalOf(registry);
});

describe('a change', () => {
  test('tells which rules match and why, and which attributes differ', () => {
    journal.seen([change(user('Ada'), user('Grace'))]);

    expect(latest()).toMatchObject({
      key: userKey,
      kinds: ['User'],
      event: 'MODIFY',
      ...{ differing: 1, differences: [{ name: 'username', was: { S: 'Ada' }, is: { S: 'Grace' } }] },
    });
    expect(latest()?.rules).toMatchObject([
      { rule, asks: 'propagation', state: 'waiting', why: 'username changed' },
    ]);
  });

  test('gets the counts of its propagation, and the time since it was read', () => {
    journal.seen([change(user('Ada'), user('Grace'))]);
    now += 40;
    journal.propagated(report({ written: 3, unchanged: 1, lost: 2 }));

    expect(latest()?.rules[0]).toMatchObject({
      ...{ state: 'done', milliseconds: 40 },
      counts: { written: 3, unchanged: 1, retried: 2 },
    });
    expect(journal.rules.all()[rule]).toEqual({
      ...{ matched: 1, written: 3, deadLettered: 0, writtenLately: 3, slowestMs: 40 },
    });
  });

  test('of a copy waits until the worker has checked it, longer if the rule is paused', async () => {
    const put = change(undefined, membership('1', 'Ada'));
    journal.seen([put]);
    await writes('1', check);
    journal.checked([put], new Map([[rule, '2026-11-29']]));
    expect(latest()).toMatchObject({ isIdle: false, rules: [{ asks: 'check', state: 'waiting' }] });
    expect(journal.hasProcessed([membershipKey('1')])).toBe(false);

    journal.checked([put], nothingPaused);
    expect(latest()).toMatchObject({ rules: [{ state: 'done', text: '1 × Membership' }] });
    expect(journal.hasProcessed([membershipKey('1')])).toBe(true);
    expect(journal.hasProcessed([membershipKey('1'), userKey])).toBe(false);
  });

  test('waits for its own check, whatever the worker does with the record of a write for it', async () => {
    const asks = ['propagation', 'check'] as const;
    const match = ({ key }: Change) =>
      sameKey(key, userKey) ? asks.map((one) => ({ rule, asks: one, root: userKey, why: '' })) : [];
    journal = new Journal({ registry, match, count: async () => 1, now: () => now });
    journal.seen([change(user('Ada'), user('Grace'))]);
    await sends(Promise.resolve('written'));
    const back = change(membership('1', 'Ada'), membership('1', 'Grace'));
    journal.seen([back]);
    journal.checked([back], nothingPaused);

    expect(journal.since(0)[0]).toMatchObject({
      arrived: 1,
      rules: [{}, { asks: 'check', state: 'waiting' }],
    });
  });

  test('is running while the queue has the rest of its copies, whose number is counted', async () => {
    journal.seen([change(user('Ada'), user('Grace'))]);
    journal.propagated(report({ written: 500, requeued: 1 }));
    await Promise.resolve();

    expect(latest()?.rules[0]).toMatchObject({ state: 'running', copies: 900 });
    journal.propagated(report({ written: 400 }));
    expect(latest()?.rules[0]).toMatchObject({ state: 'done', counts: { written: 900 } });
  });

  test('does not wait for a report that it shares with a later change of its root', () => {
    journal.seen([change(user('Ada'), user('Bea')), change(user('Bea'), user('Grace'))]);
    journal.propagated(report({ written: 1 }));

    expect(journal.since(0).map(({ rules }) => [rules[0]?.state, rules[0]?.with])).toEqual([
      ['done', 2],
      ['done', undefined],
    ]);
    expect(latest()?.rules[0]?.counts.written).toBe(1);
  });

  test('does not wait for it either if many changes come after it', () => {
    for (let time = 0; time < 150; time += 1) journal.seen([change(user('Ada'), user(`Ada ${time}`))]);
    journal.propagated(report({ written: 1 }));

    const states = journal.since(0).map(({ rules }) => rules[0]?.state);
    expect(states).toEqual(Array.from({ length: 150 }, () => 'done'));
  });

  test('counts a copy once that a recheck finds again', () => {
    journal.seen([change(user('Ada'), user('Grace'))]);
    journal.propagated(report({ written: 3 }));
    journal.propagated(report({ written: 1, unchanged: 3, requeued: 1, recheck: true }));

    expect(latest()?.rules[0]?.counts).toMatchObject({ written: 4, unchanged: 0 });
  });

  test('tells of invalid members that were left out, and of a target that is missing', () => {
    journal.seen([change(user('Ada'), user('Grace'))]);
    journal.propagated(report({ unchanged: 1, skipped: 2, absent: 1 }));

    expect(latest()?.rules[0]?.counts).toMatchObject({ unchanged: 1, skipped: 2, absent: 1 });
  });

  test('that is archived is counted and timed, once for all changes of its item in a batch', () => {
    const key = { pk: 'ORDER#1', sk: 'METADATA' };
    const order = (Status: string): Item => ({
      ...texts({ PK: key.pk, SK: key.sk, Type: 'Order', Status }),
      ExpiresAt: { N: '1' },
    });
    journal.seen([change(undefined, order('PENDING')), change(order('PENDING'), order('DELIVERED'))]);
    now += 40;
    journal.archived({ kind: 'Order', key, objectKey: 'Order/1', outcome: 'stored' });

    const ofOrders = journal.since(0).map(({ rules }) => rules.find((one) => one.rule === 'archive-orders'));
    expect(ofOrders).toMatchObject([
      { state: 'done', with: 2 },
      { state: 'done', archived: 'stored', counts: { written: 1 } },
    ]);
    expect(journal.rules.all()['archive-orders']).toEqual({
      ...{ matched: 2, written: 1, deadLettered: 0, writtenLately: 1, slowestMs: 40 },
    });
  });

  test('archives its own state, although a later one of its item has been read', () => {
    const key = { pk: 'ORDER#1', sk: 'METADATA' };
    const order = (Status: string): Item => ({
      ...texts({ PK: key.pk, SK: key.sk, Type: 'Order', Status }),
      ExpiresAt: { N: '1' },
    });
    const both = [change(undefined, order('PENDING')), change(order('PENDING'), order('DELIVERED'))];
    journal.seen(both, 'stream');
    for (const one of both) {
      journal.seen([one], 'archive');
      journal.archived({ kind: 'Order', key, objectKey: 'Order/1', outcome: 'stored' });
    }

    const ofOrders = journal.since(0).map(({ rules }) => rules.find((one) => one.rule === 'archive-orders'));
    expect(ofOrders.map((one) => one?.text)).toEqual(['archived', 'archived']);
  });

  test('names each item that fails once, however often it fails', () => {
    journal.seen([change(user('Ada'), user('Grace'))]);
    const message = { ...propagation, attempts: 0, copies: [membershipKey('4')] };
    journal.deadLettered({ code: 'copy.invalid', reason: 'It is', message });
    journal.propagated(report({ written: 3, deadLettered: 1 }));
    journal.deadLettered({ code: 'copy.invalid', reason: 'It still is', message });
    journal.propagated(report({ deadLettered: 1, recheck: true }));

    expect(latest()?.rules[0]).toMatchObject({
      text: '3 × Membership, 1 dead-lettered: SERVER#4 / USER#1',
      failed: [{ key: membershipKey('4'), reason: 'copy.invalid: It still is' }],
    });
    expect(journal.rules.all()[rule]).toMatchObject({ deadLettered: 2 });
  });

  test('of a copy that is dead-lettered has its dead letter, and that of its root has none', () => {
    journal.seen([change(user('Ada'), user('Grace')), change(undefined, membership('4', 'Ada'))]);
    const message = { ...check, attempts: 0, copies: [membershipKey('4')] };
    journal.deadLettered({ code: 'copy.invalid', reason: 'It is', message });

    expect(journal.since(0).map(({ rules }) => rules[0]?.failed.length)).toEqual([0, 1]);
  });

  test('of an item to which a rule cannot be applied matches it, and is dead-lettered', () => {
    const { userId: _, ...rest } = membership('4', 'Ada');
    const key = membershipKey('4');
    journal.seen([change(undefined, { ...rest, userId: { N: '1' } })]);
    expect(latest()?.rules).toMatchObject([{ rule, asks: 'fault', text: 'waiting', mark: 'lit' }]);
    journal.deadLettered({ code: 'copy.invalid', reason: 'It is', about: { rule, key } });

    expect(latest()?.rules).toMatchObject([{ text: 'dead-lettered', mark: 'bad', failed: [{ key }] }]);
  });

  test('is one change, however often its record is delivered', () => {
    const delivered = change(user('Ada'), user('Grace'));
    journal.seen([delivered]);
    journal.seen([delivered]);

    expect(journal.total).toBe(1);
  });

  test('gets none of the counts of a check of its copies', async () => {
    journal.seen([change(user('Ada'), user('Grace'))]);
    journal.seen([change(undefined, membership('1', 'Eve'))]);
    journal.propagated(report({ cause: 'check', written: 1 }));
    await writes('1', check);

    const [root, copy] = journal.since(0);
    expect(root?.rules[0]).toMatchObject({ state: 'waiting', counts: { written: 0 } });
    expect(copy?.rules[0]).toMatchObject({ asks: 'check', counts: { written: 1 } });
  });
});

describe("the worker's own write", () => {
  test('belongs to the change of its root, with its lag, and is no change of its own', async () => {
    journal.seen([change(user('Ada'), user('Grace'))]);
    await writes('1');
    await writes('2');

    expect(journal.total).toBe(1);
    expect(latest()).toMatchObject({ arrived: 2, maxLag: 10 });
  });

  test('belongs to the change of the copy that was checked, long after that of its root', async () => {
    journal.seen([change(user('Ada'), user('Grace'))]);
    now += 300_000;
    journal.seen([change(undefined, membership('1', 'Ada'))]);
    await writes('1', check);

    expect(journal.since(0)).toMatchObject([
      { key: userKey, arrived: 0, maxLag: undefined },
      { key: membershipKey('1'), arrived: 1, maxLag: 5 },
    ]);
  });

  test.each(['1', '2'])(
    'belongs to the change of its root that wrote copy %s, although the first copy came since',
    async (server) => {
      journal.seen([change(user('Ada'), user('Grace'))]);
      journal.seen([change(undefined, membership('1', 'Ada'))]);
      await writes(server);

      expect(journal.since(0)).toMatchObject([{ arrived: 1 }, { arrived: 0 }]);
    },
  );

  test('of a check that another write asked for belongs to the cause of that write', async () => {
    journal.seen([change(undefined, membership('1', 'Ada'))]);
    journal.seen([change(user('Ada'), user('Grace'))]);
    await writes('1');
    await writes('1', check);

    expect(journal.since(0)).toMatchObject([
      { key: membershipKey('1'), arrived: 0 },
      { key: userKey, arrived: 2 },
    ]);
  });

  test('is recognized although its record comes before its outcome', () => {
    journal.seen([change(user('Ada'), user('Grace'))]);
    void sends(new Promise(() => {}));
    journal.seen([change(membership('1', 'Ada'), membership('1', 'Grace'))]);

    expect(latest()).toMatchObject({ key: userKey, arrived: 1 });
  });

  test('names its cause, if it is the root of other rules', async () => {
    const key = { pk: 'CONTENDER#bear', sk: 'metadata' };
    const bear = texts({ PK: key.pk, SK: key.sk, Type: 'Contender', Name: 'bear', SVG: '' });
    const bout = texts({ PK: key.pk, SK: 'VS#books', Contender1: 'bear', Contender2: 'books' });
    const wins = { Contender1Wins: { N: '1' }, Contender2Wins: { N: '0' }, Type: { S: 'HeadToHead' } };
    const set = { Wins: { N: '1' }, Losses: { N: '0' }, Score: { N: '1' } };
    journal.seen([change(undefined, { ...bout, ...wins })]);
    await sends(Promise.resolve('written'), {
      key,
      set,
      writtenFor: { rule: 'contender-totals', root: key, cause: 'changed' },
    });
    journal.seen([change(bear, { ...bear, ...set })]);

    expect(journal.since(0)).toMatchObject([
      { id: 1, cause: undefined, byWorker: false, arrived: 1 },
      { id: 2, cause: 1, byWorker: true, key },
    ]);
  });

  test('belongs to no earlier write of the worker, which asks it for nothing', async () => {
    const key = { pk: 'CONTENDER#bear', sk: 'metadata' };
    const bear = texts({ PK: key.pk, SK: key.sk, Type: 'Contender', Name: 'bear', SVG: '' });
    const bout = { ...texts({ PK: key.pk, SK: 'VS#books', Type: 'HeadToHead' }), Contender2Wins: { N: '0' } };
    const names = texts({ Contender1: 'bear', Contender2: 'books' });
    const wins = (N: string): Item => ({ ...bout, ...names, Contender1Wins: { N } });
    const totals = (N: string): Item => ({ Wins: { N }, Losses: { N: '0' }, Score: { N } });
    const write = async (before: Item, set: Item) => {
      await sends(Promise.resolve('written'), {
        key,
        set,
        writtenFor: { rule: 'contender-totals', root: key, cause: 'changed' },
      });
      journal.seen([change({ ...bear, ...before }, { ...bear, ...set })]);
    };
    journal.seen([change(undefined, wins('1'))]);
    journal.seen([change(wins('1'), wins('2'))]);
    now += 1;
    await write({}, totals('1'));
    now += 1;
    await write(totals('1'), totals('2'));

    expect(journal.since(0).map(({ byWorker, arrived }) => [byWorker, arrived])).toEqual([
      [false, 0],
      [false, 2],
      [true, 0],
      [true, 0],
    ]);
  });

  test('that never came back hides no change of the application, once a later one has', async () => {
    const before = membership('1', 'Ada');
    await sends(Promise.resolve('written'));
    await sends(Promise.resolve('written'), { set: { role: { S: 'Owner' } } });
    journal.seen([change(before, { ...before, role: { S: 'Owner' } })]);
    expect(latest()).toBeUndefined();
    journal.seen([change(before, membership('1', 'Grace'))]);

    expect(latest()).toMatchObject({ key: membershipKey('1'), byWorker: false });
  });

  test.each([
    ['was not made', async (): Promise<WriteOutcome> => 'lost'],
    ['failed', () => Promise.reject(new Error('no'))],
  ])('that %s hides no change of the application', async (_, outcome) => {
    await sends(outcome()).catch(() => {});
    journal.seen([change(membership('1', 'Ada'), membership('1', 'Grace'))]);

    expect(latest()).toMatchObject({ key: membershipKey('1'), byWorker: false });
  });
});

describe('content', () => {
  test('is kept of root and copies, whether a page is open or not', async () => {
    journal.seen([change(user('Ada'), user('Grace'))]);
    await writes('1');

    expect(journal.detail(1)).toMatchObject({
      ...{ contentKept: true, before: { username: { S: 'Ada' } }, after: { username: { S: 'Grace' } } },
      copies: [{ rule, before: { username: { S: 'Ada' } }, after: { username: { S: 'Grace' } } }],
    });
  });

  test('of copies is not kept without that of their root', async () => {
    const large = 'x'.repeat(300_000);
    journal.seen([change(user('Ada'), user('Grace'))]);
    for (let at = 0; at < 120; at += 1)
      journal.seen([change(undefined, { ...user(large), PK: { S: `USER#x${at}` } })]);
    await writes('1');

    expect(journal.detail(1)).toMatchObject({ contentKept: false, copies: [{ before: undefined }] });
  });

  test('is bounded: the oldest is forgotten first', () => {
    const large = 'x'.repeat(300_000);
    for (let at = 0; at < 120; at += 1) journal.seen([change(undefined, user(`${at}${large}`))]);

    expect(journal.detail(1)?.contentKept).toBe(false);
    expect(journal.detail(120)?.contentKept).toBe(true);
  });

  test('of a change is forgotten after 500 others, though its copies are remembered', async () => {
    const large = 'x'.repeat(300);
    journal.seen([change(user('Ada'), user(large))]);
    await writes('1');
    const isKept = () => inspect(journal, { depth: Number.POSITIVE_INFINITY }).includes(large);
    expect(isKept()).toBe(true);

    for (let at = 0; at < 500; at += 1)
      journal.seen([change(undefined, { ...user('Grace'), PK: { S: `USER#x${at}` } })]);

    expect(isKept()).toBe(false);
  });
});

test('an item’s log says what happened to it: by whom, and because of which change', async () => {
  journal.seen([change(undefined, membership('1', 'Ada'))]);
  journal.seen([change(user('Ada'), user('Grace'))]);
  await writes('1');
  const message = {
    rule,
    root: userKey,
    cause: 'changed',
    attempts: 0,
    copies: [membershipKey('1')],
  } as const;
  journal.deadLettered({
    ...{ code: 'root.invalid', reason: 'It is' },
    message: { ...message, copies: [membershipKey('1')] },
  });
  const events = (key: ItemKey) =>
    journal.log.of(key)?.events.map(({ text, byWorker, change: id }) => [text, byWorker, id]);

  const lost = [`dead-lettered by ${rule}`, true, undefined];
  expect(events(membershipKey('1'))).toEqual([
    ...[['put', false, 1], [`changed username by ${rule}`, true, 2], lost],
  ]);
  expect(events(userKey)).toEqual([['changed username', false, 2], lost]);
  expect(journal.log.of(userKey)).toMatchObject({
    kinds: ['User'],
    events: [{}, { reason: 'root.invalid: It is' }],
  });
  expect(JSON.stringify(journal.log.of(userKey))).not.toContain('Grace');
});

test('the list of changes holds no large value and no long name', () => {
  const large = { S: 'x'.repeat(300) };
  journal.seen([change(user('Ada'), { ...user('Ada'), large, ['n'.repeat(300)]: { S: 'y' } })]);

  expect(JSON.stringify(journal.since(0)).length).toBeLessThan(900);
  expect(latest()?.differences[0]).toEqual({ name: 'large', was: undefined, is: null });
});

test('keeps the last 500 changes, and tells what is newer than a version', () => {
  for (let at = 0; at < 600; at += 1) journal.seen([change(undefined, user(`name ${at}`))]);
  const { version } = journal;

  expect(journal.since(0).map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, at) => at + 101));
  expect(journal.since(version)).toEqual([]);
  journal.propagated(report({ written: 1 }));
  expect(journal.since(version).map(({ id }) => id)).toContain(600);
});

test('a member that makes a target, and one with which it goes, are followed by it', async () => {
  const making = registryOf(salesOfDay('delete'));
  const worker = new ModelWorker(making);
  journal = journalOf(making);
  const context = { ...worker.context, table: journal.writes.of(worker.port) };
  const sale = aSale('1', 'mon');
  for (const write of [() => worker.table.put(sale), () => worker.table.delete(keyIn(sale))]) {
    write();
    for (let records = worker.stream.take(1); records.length > 0; records = worker.stream.take(1)) {
      journal.seen(records.flatMap(({ parsed }) => ('key' in parsed ? [parsed] : [])));
      await propagateBatch(context, records);
    }
  }

  const copies = [1, 2].map((id) =>
    journal.detail(id)?.copies.map(({ key, after }) => [key.sk, after !== undefined]),
  );
  expect(copies).toEqual([[['DAY#mon', true]], [['DAY#mon', false]]]);
});

test('a change of a member is followed by its entry, the head and the target, and by no change of an application', async () => {
  const worker = new ModelWorker(likes(1));
  journal = journalOf(likes(1));
  const context = { ...worker.context, table: journal.writes.of(worker.port) };
  const run = async () => {
    for (let records = worker.stream.take(1); records.length > 0; records = worker.stream.take(1)) {
      journal.seen(records.flatMap(({ parsed }) => ('key' in parsed ? [parsed] : [])));
      await propagateBatch(context, records);
    }
  };
  const like = (Weight: number) =>
    worker.table.put(itemOf({ PK: 'LIKE#1', SK: 'LIKE', Type: 'Like', Post: 'a', Weight }));

  worker.table.put(itemOf({ PK: 'POST#a', SK: 'POST', Type: 'Post' }));
  await run();
  like(1);
  await run();
  like(2);
  await run();

  expect(journal.since(0).map(({ key, byWorker, arrived }) => ({ pk: key.pk, byWorker, arrived }))).toEqual([
    { pk: 'POST#a', byWorker: false, arrived: 1 },
    { pk: 'LIKE#1', byWorker: false, arrived: 3 },
    { pk: 'LIKE#1', byWorker: false, arrived: 3 },
  ]);
  const copies = journal.detail(3)?.copies.map(({ kind, key: { sk } }) => [kind, sk]);
  expect(copies).toEqual([
    ['Entry of likes-of-post', 'entry#["LIKE#1","LIKE"]'],
    ['Head of likes-of-post', 'head'],
    ['Post', 'POST'],
  ]);
});
