import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { type ArchiveRuleSpec, defineArchive } from '../../../src/model/rules/archive-rule.ts';
import { archiveState } from '../../../src/worker/archive/archive-item.ts';
import { digestOf, objectKeyOf } from '../../../src/worker/archive/object.ts';
import { CruiseArchive, statesOf } from '../../fixtures/cruises/cruise-archive.ts';
import { aBooking, aTicket } from '../../fixtures/cruises/cruise-items.ts';
import { booking, ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { watchArchive } from '../../fixtures/cruises/watched-archive.ts';
import { bound, boundKind } from '../../fixtures/model/bound.ts';

const expiring = aTicket({ EndsAt: 1_000 });
const dearer = aTicket({ EndsAt: 1_000, Price: 1 });
const anew = aTicket({ EndsAt: 2_000, Price: 1 });
const closing = aBooking('g', { EndsAt: 1_000 });
const key = keyIn(expiring);
const location = objectKeyOf('Ticket', key);
const report = { kind: 'Ticket', key, objectKey: location };

describe('an item that is going to expire', () => {
  test('is archived by the record of its latest state, not by an older one', async () => {
    const [cruise, older] = inserted();
    cruise.table.put(dearer);

    await cruise.archive(older);
    expect(cruise.objects.keys()).toEqual([]);
    await cruise.archive();
    expect(cruise.items()).toEqual([dearer]);
  });

  const bookings = { kinds: [booking] };
  test.each<[string, Partial<ArchiveRuleSpec>, Item, Item]>([
    ['alone', {}, expiring, { ...expiring, StatePart: { S: 'STATUS#SOLD' } }],
    ['beside all others', bookings, closing, { ...closing, OwnerSort: { S: 'CLOSED#100' } }],
  ])('is stored with the keys that the worker derived %s since, once', async (_, spec, before, derived) => {
    const cruise = new CruiseArchive(spec);
    cruise.table.put(before);
    const insert = cruise.records();
    cruise.table.put(derived);
    for (const records of [insert, insert]) await cruise.archive(records);

    expect(cruise.items()).toEqual([derived]);
    expect(cruise.objects.keys().map((at) => cruise.objects.versions(at).length)).toEqual([1]);
    expect(cruise.outcomes()).toEqual(['stored', 'unchanged']);
  });

  test('is stored without an attribute that the read of the table loses, and with it once the item has ended', async () => {
    const cruise = new CruiseArchive();
    const whole: Item = { ...expiring, ...Object.fromEntries([['__proto__', { S: 'x' }]]) };
    const wholeRecords = () =>
      cruise.records().map(({ id, says }) => {
        if ('unreadable' in says) throw new Error('Expected a change');
        const { before, after } = says;
        return { id, says: { ...says, before: before && whole, after: after && whole } };
      });
    cruise.table.put(expiring);
    await cruise.archive(wholeRecords());
    expect(cruise.items()).toEqual([expiring]);

    cruise.table.expire(key);
    await cruise.archive(wholeRecords());
    expect(Object.entries(cruise.items()[1] ?? {})).toContainEqual(['__proto__', { S: 'x' }]);
  });

  test('is stored again when it returns to its archived state, with the sequence number of the later record', async () => {
    const cruise = await archived();
    cruise.table.put(aTicket());
    cruise.table.put(expiring);
    const [again, returned] = [cruise.records(), cruise.youngest()];
    cruise.table.expire(key);
    for (const records of [again, again]) await cruise.archive(records);

    expect(cruise.sequences(location)).toEqual([cruise.table.history[0]?.sequence, returned]);
  });

  test.each([
    ['is put on top of what other workers put seven times in between', 7, ['stored'], []],
    ['fails its record if they put it eight times', 8, [], [{ code: 'archive.contended', key }]],
  ])('%s', async (_, times, outcomes, errors) => {
    const [cruise, insert] = inserted();
    let puts = 0;
    cruise.worker.port.before = ({ kind }) => {
      if (kind !== 'get' || puts === times) return;
      puts += 1;
      const other = { body: `${puts}`, digest: `${puts}` };
      cruise.objects.store(location, other, cruise.objects.current(location)?.etag);
    };

    const failed = await cruise.archive(insert);

    expect([...failed.keys()]).toEqual(errors.length > 0 ? insert.map(({ id }) => id) : []);
    expect([...failed.values()]).toMatchObject(errors);
    expect(cruise.outcomes()).toEqual(outcomes);
    expect(puts).toBe(times);
  });

  test('is read after the object, so that a put never replaces a newer state with an older one', async () => {
    const [cruise, insert] = inserted();
    const asked: string[] = [];
    cruise.worker.port.before = ({ kind }) => asked.push(kind);
    watchArchive(cruise.worker, (request) => asked.push(request));
    await cruise.archive(insert);

    expect(asked).toEqual(['head', 'get', 'put']);
  });
});

describe('an item that is not going to expire', () => {
  test('is not archived, and nothing is read for it', async () => {
    const cruise = over(aTicket({ EndsAt: 1 }), aBooking('g'));
    cruise.table.put(aTicket());
    cruise.table.put(closing);
    cruise.table.expire(keyIn(closing));
    cruise.table.delete(key);

    expect([...(await cruise.archive())]).toEqual([]);
    expect(cruise.objects.keys()).toEqual([]);
    expect(cruise.worker.port.counts.requests()).toBe(0);
    expect(cruise.worker.telemetry.failures).toEqual([]);
  });
});

describe('an item that has expired', () => {
  test('is still archived as it was if that was its last state, however its records are repeated', async () => {
    const [cruise, insert] = inserted();
    await cruise.archive(insert);
    cruise.table.expire(key);
    const end = cruise.records();
    for (const records of [end, [...insert, ...end, ...end]]) await cruise.archive(records);

    expect(cruise.objects.versions(location)).toHaveLength(1);
    expect(cruise.items()).toEqual([expiring]);
    expect(cruise.outcomes()).toEqual(['stored', 'unchanged', 'unchanged', 'unchanged']);
  });

  test('has its last state beside the older one, under a separate key', async () => {
    const cruise = await archived();
    cruise.table.put(dearer);
    cruise.records();
    cruise.table.expire(key);
    await cruise.archive();

    const finalKey = `${location}.${cruise.youngest()}`;
    expect(cruise.objects.keys()).toEqual([location, finalKey]);
    expect(cruise.items()).toEqual([expiring, dearer]);
    expect(cruise.worker.telemetry.archivings.at(-1)).toEqual({
      ...report,
      objectKey: finalKey,
      outcome: 'final',
    });
  });

  test.each([
    ['was recreated under its key', [anew]],
    ['was recreated in the same state', [expiring]],
    ['was recreated and has changed since', [anew, aTicket({ EndsAt: 2_000, Price: 2 })]],
  ])('is not hidden by an item that %s, and is listed once', async (_, later) => {
    const cruise = await archived();
    cruise.table.expire(key);
    const end = cruise.records();
    for (const item of later) await cruise.archived(item);
    for (const records of [end, end]) await cruise.archive(records);

    const states = await statesOf(cruise.reader(), 'Ticket', key);
    expect(states.map(({ digest }) => digest)).toEqual([expiring, ...later].map(digestOf));
    expect(states.map(({ final }) => final)).toEqual([true, ...later.map(() => false)]);
    expect(cruise.outcomes().slice(-2)).toEqual(['final', 'unchanged']);
  });

  test('is archived separately from an identical earlier life if the records of both arrive together', async () => {
    const [cruise, insert] = inserted();
    await cruise.archive(insert);
    cruise.table.expire(key);
    cruise.table.put(expiring);
    cruise.table.expire(key);
    await cruise.archive([...insert, ...cruise.records()]);

    expect(cruise.items()).toEqual([expiring, expiring]);
  });

  test('has a last state with the storage class of its rule, and with its key if the object’s is a hash', async () => {
    const cruise = new CruiseArchive({ storageClass: 'DEEP_ARCHIVE' });
    const long = aTicket({ Part: `TICKET#${'t'.repeat(1_000)}`, EndsAt: 1_000 });
    cruise.table.put(long);
    cruise.table.expire(keyIn(long));
    await cruise.archive();

    const [objectKey = ''] = cruise.objects.keys();
    expect(await cruise.reader().details(objectKey)).toMatchObject({
      storageClass: 'DEEP_ARCHIVE',
      of: keyIn(long),
    });
  });
});

describe('an item that is archived without a record', () => {
  test('is put in its current state, once, and reads no note if its rule erases nothing', async () => {
    const cruise = over(aTicket());
    const asked: string[] = [];
    watchArchive(cruise.worker, (request, objectKey) => asked.push(`${request} ${objectKey}`));

    expect(await store(cruise)).toEqual({ report: { ...report, outcome: 'stored' }, item: aTicket() });
    expect(await store(cruise)).toEqual({ report: { ...report, outcome: 'unchanged' }, item: aTicket() });
    expect(asked).toEqual([`head ${location}`, `put ${location}`, `head ${location}`]);
    expect(cruise.sequences(location)).toEqual([0n]);
  });

  test('is not stored if it no longer exists', async () => {
    const cruise = over();

    expect(await store(cruise)).toEqual({ report: { ...report, outcome: 'gone' }, item: undefined });
    expect(cruise.objects.keys()).toEqual([]);
  });

  test.each<[string, number, (cruise: CruiseArchive, put: number) => void, Item | undefined]>([
    ['is deleted during the put, and is returned as missing', 1, ({ table }) => table.delete(key), undefined],
    ['changes seven times', 7, ({ table }, Price) => table.put(aTicket({ Price })), aTicket({ Price: 7 })],
  ])('is stored if it %s', async (_, times, act, item) => {
    const cruise = over(aTicket());
    afterPuts(cruise, times, (put) => act(cruise, put));

    expect(await store(cruise)).toEqual({ report: { ...report, outcome: 'stored' }, item });
    expect(cruise.objects.versions(location)).toHaveLength(item === undefined ? 1 : times + 1);
  });

  test('is contended if it keeps changing: the reason names the number of reads and the key', async () => {
    const cruise = over(aTicket());
    afterPuts(cruise, 8, (Price) => cruise.table.put(aTicket({ Price })));

    await expect(store(cruise)).rejects.toMatchObject({
      code: 'archive.contended',
      message: 'The item changed 8 times while it was being archived',
      key,
    });
  });
});

/** An archive whose table holds these items, none of which is news. */
function over(...items: Item[]): CruiseArchive {
  return new CruiseArchive({}, items);
}

/** An archive in whose table an item was inserted, and the record of that. */
function inserted() {
  const cruise = new CruiseArchive();
  cruise.table.put(expiring);
  return [cruise, cruise.records()] as const;
}

/** An archive that holds an item that is going to expire. */
async function archived(): Promise<CruiseArchive> {
  const cruise = new CruiseArchive();
  await cruise.archived(expiring);
  return cruise;
}

function store({ worker }: CruiseArchive) {
  const rule = bound(defineArchive({ name: 'archive-tickets', kinds: [ticket] }));
  return archiveState(worker.archiveContext, { rule, kind: boundKind(ticket), key, sequence: 0n });
}

/** Runs an action after each of the first puts into the archive. */
function afterPuts({ objects }: CruiseArchive, times: number, act: (put: number) => void): void {
  const put = objects.put.bind(objects);
  let puts = 0;
  objects.put = async (...args) => {
    const done = await put(...args);
    puts += 1;
    if (puts <= times) act(puts);
    return done;
  };
}
