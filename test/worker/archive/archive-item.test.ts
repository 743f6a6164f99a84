import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { defineArchive } from '../../../src/model/archive-rule.ts';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import type { Item } from '../../../src/model/item.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import { archiveState } from '../../../src/worker/archive/archive-item.ts';
import { digestOf, objectKeyOf } from '../../../src/worker/archive/object.ts';
import type { StreamRecord } from '../../../src/worker/batch/group.ts';
import { CruiseArchive } from '../../fixtures/cruises/cruise-archive.ts';
import { aBooking, aLeg, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { booking, ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { watchArchive } from '../../fixtures/cruises/watched-archive.ts';

const expiring = aTicket({ EndsAt: 1_000 });
const location = objectKeyOf('Ticket', keyIn(expiring));

/** A worker that has not seen yet that an expiring item was inserted. */
function afterInsert(): ModelWorker {
  const worker = workerOver([]);
  worker.table.put(expiring);
  return worker;
}

describe('an item that is going to expire', () => {
  test('is archived before it expires, attribute for attribute', async () => {
    const worker = workerOver([aTicket()]);
    worker.table.put(expiring);

    await worker.archiveRest();

    expect(worker.archive.keys()).toEqual([location]);
    expect(itemIn(worker, location)).toEqual(expiring);
    expect(worker.archive.current(location)?.digest).toBe(digestOf(expiring));
    expect(worker.telemetry.archivings).toEqual([
      { kind: 'Ticket', key: keyIn(expiring), objectKey: location, outcome: 'stored' },
    ]);
  });

  test('is archived by the record of its latest state, not by an older one', async () => {
    const worker = afterInsert();
    const batch = worker.archiveStream.take();
    worker.table.put(aTicket({ EndsAt: 1_000, Price: 1 }));

    await archiveBatch(worker.archiveContext, batch);
    expect(worker.archive.keys()).toEqual([]);
    await worker.archiveRest();

    expect(worker.archive.versions(location)).toHaveLength(1);
    expect(itemIn(worker, location)).toMatchObject({ Price: { N: '1' } });
  });

  test('is stored with the keys that the worker derived since, and they do not make it another state', async () => {
    const worker = afterInsert();
    const batch = worker.archiveStream.take();
    const derived = { ...expiring, StatePart: { S: 'STATUS#SOLD' } };
    worker.table.put(derived);

    await archiveBatch(worker.archiveContext, batch);
    await archiveBatch(worker.archiveContext, batch);

    expect(itemIn(worker, location)).toEqual(derived);
    expect(worker.archive.versions(location)).toHaveLength(1);
    const report = { kind: 'Ticket', key: keyIn(expiring), objectKey: location };
    expect(worker.telemetry.archivings).toEqual([
      { ...report, outcome: 'stored' },
      { ...report, outcome: 'unchanged' },
    ]);
  });

  test('is stored without an attribute that the read of the table loses, and with it once the item has ended', async () => {
    const worker = workerOver([]);
    const whole: Item = { ...expiring, ...Object.fromEntries([['__proto__', { S: 'x' }]]) };
    const told = (): StreamRecord[] =>
      worker.archiveStream.take().map(({ id, says }) => {
        if ('unreadable' in says) throw new Error('Expected a change');
        const { before, after } = says;
        return { id, says: { ...says, before: before && whole, after: after && whole } };
      });
    worker.table.put(expiring);

    await archiveBatch(worker.archiveContext, told());
    expect(itemIn(worker, location)).toEqual(expiring);

    worker.table.expire(keyIn(expiring));
    await archiveBatch(worker.archiveContext, told());
    const [last = ''] = worker.archive.keys().filter((key) => key !== location);
    expect(Object.entries(itemIn(worker, last))).toContainEqual(['__proto__', { S: 'x' }]);
  });

  test('is stored with its derived keys also if the rule copies every other attribute as well', async () => {
    const { table, worker } = new CruiseArchive({ kinds: [booking] });
    table.put(aBooking('g', { EndsAt: 1_000 }));
    const batch = worker.archiveStream.take();
    const derived = aBooking('g', { EndsAt: 1_000, OwnerSort: 'CLOSED#100' });
    table.put(derived);

    await archiveBatch(worker.archiveContext, batch);

    expect(itemIn(worker, objectKeyOf('Booking', keyIn(derived)))).toEqual(derived);
  });

  test('has the sequence number of the record that created it, even if a record of an earlier life is processed first', async () => {
    const worker = afterInsert();
    const older = worker.archiveStream.take();
    worker.table.expire(keyIn(expiring));
    worker.table.put(aTicket({ EndsAt: 2_000, Price: 1 }));
    const made = worker.table.history.at(-1)?.sequence;

    await archiveBatch(worker.archiveContext, older);
    await worker.archiveRest();

    expect(worker.archive.keys()).toHaveLength(2);
    expect(worker.archive.current(location)?.sequence).toBe(made);
  });

  test('is stored again when it returns to its archived state, with the sequence number of the later record', async () => {
    const worker = afterInsert();
    await worker.archiveRest();
    worker.table.put(aTicket());
    worker.table.put(expiring);
    const again = worker.archiveStream.take();
    worker.table.expire(keyIn(expiring));
    await archiveBatch(worker.archiveContext, again);
    await archiveBatch(worker.archiveContext, again);

    const sequences = worker.archive.versions(location).map(({ sequence }) => sequence);
    expect(sequences).toEqual([worker.table.history[0]?.sequence, worker.table.history[2]?.sequence]);
  });

  test('is put once, however often its record is delivered', async () => {
    const worker = afterInsert();
    const batch = worker.archiveStream.take();

    await archiveBatch(worker.archiveContext, batch);
    await archiveBatch(worker.archiveContext, [...batch, ...batch]);

    expect(worker.archive.versions(location)).toHaveLength(1);
    expect(worker.telemetry.archivings.map(({ outcome }) => outcome)).toEqual(['stored', 'unchanged']);
  });

  test('is put once, however many of its changes are in a batch', async () => {
    const worker = workerOver([]);
    for (const price of [1, 2, 3]) worker.table.put(aTicket({ EndsAt: 1_000, Price: price }));

    await worker.archiveRest();

    expect(worker.archive.versions(location)).toHaveLength(1);
    expect(itemIn(worker, location)).toMatchObject({ Price: { N: '3' } });
  });

  test('is put again after a change, and the older version is kept', async () => {
    const worker = afterInsert();
    await worker.archiveRest();
    worker.table.put(aTicket({ EndsAt: 1_000, Price: 1 }));
    await worker.archiveRest();

    expect(worker.archive.versions(location)).toHaveLength(2);
    expect(itemIn(worker, location)).toMatchObject({ Price: { N: '1' } });
  });

  test('is put again after a change and its reversal: two puts of one state differ', async () => {
    const worker = workerOver([]);
    for (const price of [1, 2, 1]) {
      worker.table.put(aTicket({ EndsAt: 1_000, Price: price }));
      await worker.archiveRest();
    }

    expect(new Set(worker.archive.versions(location).map(({ etag }) => etag)).size).toBe(3);
    expect(itemIn(worker, location)).toMatchObject({ Price: { N: '1' } });
  });

  test('is put on top of the newer state that another worker put in between', async () => {
    const worker = afterInsert();
    const batch = worker.archiveStream.take();
    let between = 0;
    worker.port.before = ({ kind }) => {
      if (kind !== 'get' || between > 0) return;
      between += 1;
      worker.archive.store(location, { body: 'other', digest: 'other' }, undefined);
    };

    await archiveBatch(worker.archiveContext, batch);

    expect(itemIn(worker, location)).toEqual(expiring);
    expect(worker.archive.versions(location)).toHaveLength(2);
  });

  test('fails its record if other workers keep putting it', async () => {
    const worker = afterInsert();
    const batch = worker.archiveStream.take();
    let others = 0;
    duringPut(worker, Number.POSITIVE_INFINITY, () => {
      others += 1;
      const etag = worker.archive.current(location)?.etag;
      worker.archive.store(location, { body: `other ${others}`, digest: 'other' }, etag);
    });

    const failed = await archiveBatch(worker.archiveContext, batch);

    expect([...failed.keys()]).toEqual(batch.map(({ id }) => id));
    expect([...failed.values()]).toMatchObject([{ code: 'archive.contended' }]);
    expect(others).toBeLessThan(20);
  });

  test('is read after the object, so that a put never replaces a newer state with an older one', async () => {
    const worker = afterInsert();
    const asked: string[] = [];
    worker.port.before = ({ kind }) => asked.push(kind);
    watchArchive(worker, (request) => asked.push(request));

    await worker.archiveRest();

    expect(asked).toEqual(['head', 'get', 'put']);
  });
});

describe('an item that is archived without a record', () => {
  const what = { rule: defineArchive({ name: 'archive-tickets', kinds: [ticket] }), kind: ticket };

  test('is put again if it changed during the put', async () => {
    const worker = workerOver([expiring]);
    const later = aTicket({ Price: 1 });
    duringPut(worker, 1, () => worker.table.put(later));

    const { report, item } = await archiveState(worker.archiveContext, { ...what, key: keyIn(expiring) });

    expect(report.outcome).toBe('stored');
    expect(item).toEqual(later);
    expect(itemIn(worker, location)).toEqual(later);
    expect(worker.archive.versions(location)).toHaveLength(2);
  });

  test('is contended if it changes faster than it can be stored', async () => {
    const worker = workerOver([expiring]);
    let price = 0;
    duringPut(worker, Number.POSITIVE_INFINITY, () => {
      price += 1;
      worker.table.put(aTicket({ Price: price }));
    });

    await expect(
      archiveState(worker.archiveContext, { ...what, key: keyIn(expiring) }),
    ).rejects.toMatchObject({ code: 'archive.contended' });
    expect(price).toBeLessThan(20);
  });
});

describe('an item that is not going to expire', () => {
  test.each<[string, Item | undefined, Item]>([
    ['has no expiry', undefined, aTicket()],
    ['is of a kind that is never archived', undefined, aBooking('g', { EndsAt: 1 })],
    ['is of no kind', undefined, { ...aVoyage({ EndsAt: 1 }), Sort: { S: 'odd' } }],
  ])('is not archived if it %s', async (_, before, after) => {
    const worker = workerOver(before === undefined ? [] : [before]);
    worker.table.put(after);

    await worker.archiveRest();

    expect(worker.archive.keys()).toEqual([]);
    expect(worker.port.counts.requests()).toBe(0);
    expect(worker.telemetry.failures).toEqual([]);
  });

  test('is not archived if its expiry was removed in the meantime', async () => {
    const worker = afterInsert();
    const batch = worker.archiveStream.take();
    worker.table.put(aTicket());

    await archiveBatch(worker.archiveContext, batch);

    expect(worker.archive.keys()).toEqual([]);
    expect(worker.telemetry.archivings).toMatchObject([{ outcome: 'gone' }]);
  });

  test('is not archived if a user deletes it: a deletion is not an expiry', async () => {
    const worker = workerOver([expiring]);
    worker.table.delete(keyIn(expiring));

    await worker.archiveRest();

    expect(worker.archive.keys()).toEqual([]);
  });

  test('is not archived if archiving is switched off', async () => {
    const worker = afterInsert();
    worker.table.expire(keyIn(expiring));
    const context = {
      ...worker.archiveContext,
      registry: { ...worker.archiveContext.registry, archives: [] },
    };

    await archiveBatch(context, worker.archiveStream.take());

    expect(worker.archive.keys()).toEqual([]);
  });
});

describe('an item that has expired', () => {
  test('is still archived as it was, and nothing more is put if that was its last state', async () => {
    const worker = afterInsert();
    await worker.archiveRest();
    worker.table.expire(keyIn(expiring));
    await worker.archiveRest();

    expect(worker.archive.keys()).toEqual([location]);
    expect(worker.archive.versions(location)).toHaveLength(1);
    expect(itemIn(worker, location)).toEqual(expiring);
    expect(worker.telemetry.archivings.at(-1)).toMatchObject({ outcome: 'unchanged' });
  });

  test('is still archived once if the record of its creation arrives again with its end, and its end twice', async () => {
    const worker = afterInsert();
    const insert = worker.archiveStream.take();
    await archiveBatch(worker.archiveContext, insert);
    worker.table.expire(keyIn(expiring));
    const removal = worker.archiveStream.take();

    await archiveBatch(worker.archiveContext, [...insert, ...removal, ...removal]);

    expect(worker.archive.keys()).toEqual([location]);
    expect(worker.telemetry.archivings.map(({ outcome }) => outcome)).toEqual([
      'stored',
      'unchanged',
      'unchanged',
    ]);
  });

  test('has its last state beside the older one, under a separate key', async () => {
    const worker = afterInsert();
    await worker.archiveRest();
    const last = aTicket({ EndsAt: 1_000, Price: 1 });
    worker.table.put(last);
    worker.archiveStream.take();
    worker.table.expire(keyIn(expiring));
    const removal = worker.archiveStream.take();

    await archiveBatch(worker.archiveContext, removal);

    const finalKey = `${location}.${removal[0]?.id}`;
    expect(worker.archive.keys()).toEqual([location, finalKey]);
    expect(itemIn(worker, finalKey)).toEqual(last);
    expect(itemIn(worker, location)).toEqual(expiring);
    expect(worker.telemetry.archivings.at(-1)).toEqual({
      kind: 'Ticket',
      key: keyIn(last),
      objectKey: finalKey,
      outcome: 'final',
    });
  });

  test('is archived even if it was not archived before', async () => {
    const worker = workerOver([expiring]);
    worker.table.expire(keyIn(expiring));

    await worker.archiveRest();

    expect(worker.archive.keys().map((key) => itemIn(worker, key))).toEqual([expiring]);
  });

  test('is archived from a batch that contains its last change and its end', async () => {
    const worker = afterInsert();
    worker.table.expire(keyIn(expiring));

    await worker.archiveRest();

    expect(worker.archive.keys().map((key) => itemIn(worker, key))).toContainEqual(expiring);
  });

  test('is not changed by a late duplicate of its end', async () => {
    const worker = workerOver([expiring]);
    worker.table.expire(keyIn(expiring));
    const removal = worker.archiveStream.take();
    await archiveBatch(worker.archiveContext, removal);
    const before = everything(worker);
    worker.table.put(aTicket({ EndsAt: 2_000, Price: 1 }));
    await worker.archiveRest();
    const after = everything(worker);

    await archiveBatch(worker.archiveContext, removal);
    await archiveBatch(worker.archiveContext, [...removal, ...removal]);

    expect(everything(worker)).toEqual(after);
    expect(after.length).toBe(before.length + 1);
  });

  test('is not hidden by an item that was recreated under its key', async () => {
    const worker = afterInsert();
    await worker.archiveRest();
    worker.table.expire(keyIn(expiring));
    const removal = worker.archiveStream.take();
    const anew = aTicket({ EndsAt: 2_000, Price: 1 });
    worker.table.put(anew);
    await worker.archiveRest();

    await archiveBatch(worker.archiveContext, removal);

    expect(worker.archive.keys()).toEqual([location]);
    const digests = worker.archive.versions(location).map(({ digest }) => digest);
    expect(digests).toEqual([digestOf(expiring), digestOf(anew)]);
  });

  test('is not hidden by an item that was recreated and has changed since', async () => {
    const worker = afterInsert();
    await worker.archiveRest();
    worker.table.expire(keyIn(expiring));
    const removal = worker.archiveStream.take();
    for (const Price of [1, 2]) {
      worker.table.put(aTicket({ EndsAt: 2_000, Price }));
      await worker.archiveRest();
    }

    await archiveBatch(worker.archiveContext, removal);

    expect(worker.archive.keys()).toEqual([location]);
  });

  test('is archived separately if a later life is stored on top of another state', async () => {
    const worker = afterInsert();
    await worker.archiveRest();
    const last = aTicket({ EndsAt: 1_000, Price: 1 });
    worker.table.put(last);
    worker.table.expire(keyIn(expiring));
    const missed = worker.archiveStream.take();
    worker.table.put(expiring);
    await worker.archiveRest();

    await archiveBatch(worker.archiveContext, missed);

    const [, finalKey = ''] = worker.archive.keys();
    expect(itemIn(worker, finalKey)).toEqual(last);
  });

  test('is put once, however often its end is delivered', async () => {
    const worker = workerOver([expiring]);
    worker.table.expire(keyIn(expiring));
    const removal = worker.archiveStream.take();
    const asked: string[] = [];
    watchArchive(worker, (request) => asked.push(request));

    for (const records of [removal, removal, [...removal, ...removal]])
      await archiveBatch(worker.archiveContext, records);

    expect(asked.filter((request) => request === 'put')).toHaveLength(1);
    expect(worker.telemetry.archivings.map(({ outcome }) => outcome)).toEqual([
      'final',
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
  });

  test('is archived separately if the stored object belongs to an identical earlier life', async () => {
    const worker = afterInsert();
    await worker.archiveRest();
    worker.table.put(aTicket({ EndsAt: 1_000, Price: 1 }));
    worker.table.expire(keyIn(expiring));
    worker.table.put(expiring);
    worker.table.expire(keyIn(expiring));

    await worker.archiveRest();

    expect(worker.telemetry.archivings.map(({ outcome }) => outcome)).toContain('final');
    expect(worker.archive.keys().map((key) => itemIn(worker, key))).toEqual([
      expiring,
      aTicket({ EndsAt: 1_000, Price: 1 }),
      expiring,
    ]);
  });

  test('is archived separately from an identical earlier life if the records of both arrive together', async () => {
    const worker = afterInsert();
    const insert = worker.archiveStream.take();
    await archiveBatch(worker.archiveContext, insert);
    worker.table.expire(keyIn(expiring));
    worker.table.put(expiring);
    worker.table.expire(keyIn(expiring));

    await archiveBatch(worker.archiveContext, [...insert, ...worker.archiveStream.take()]);

    expect(worker.archive.keys().map((key) => itemIn(worker, key))).toEqual([expiring, expiring]);
  });

  test('twice, each time in another state, is archived in both, the earlier first', async () => {
    const worker = workerOver([]);
    const second = aTicket({ EndsAt: 2_000, Price: 1 });
    worker.table.put(expiring);
    worker.table.expire(keyIn(expiring));
    worker.table.put(second);
    worker.table.expire(keyIn(second));

    await archiveBatch(worker.archiveContext, worker.archiveStream.take().reverse());

    const finals = worker.telemetry.archivings.filter(({ outcome }) => outcome === 'final');
    expect(finals.map(({ objectKey }) => itemIn(worker, objectKey))).toEqual([expiring, second]);
  });
});

test('a last state has the storage class of its rule, and its key if the object’s is a hash', async () => {
  const cruise = new CruiseArchive({ storageClass: 'DEEP_ARCHIVE' });
  const named = aTicket({ Part: `TICKET#${'t'.repeat(1_000)}`, EndsAt: 1_000 });
  cruise.table.put(named);
  cruise.table.expire(keyIn(named));
  await cruise.worker.archiveRest();

  const [objectKey = ''] = cruise.worker.archive.keys();
  expect(await cruise.reader().details(objectKey)).toMatchObject({
    storageClass: 'DEEP_ARCHIVE',
    of: keyIn(named),
  });
});

describe('an archive that fails', () => {
  test.each(['head', 'put'] as const)(
    'temporarily at %s leaves the record to be delivered again, and queues nothing',
    async (at) => {
      const worker = workerOver([expiring]);
      worker.table.expire(keyIn(expiring));
      worker.table.put(aVoyage({ EndsAt: 1 }));
      const batch = worker.archiveStream.take();
      watchArchive(worker, (request, objectKey) => {
        if (request === at && objectKey.includes('Ticket')) throw new TransientError('aws.fault', 'failed');
      });

      const failed = await archiveBatch(worker.archiveContext, batch);

      expect([...failed.keys()]).toEqual([batch[0]?.id]);
      expect(worker.queue.sent).toEqual([]);
      expect(worker.queue.deadLettered).toEqual([]);
      expect(worker.archive.keys()).toEqual([objectKeyOf('Voyage', keyIn(aVoyage()))]);
    },
  );

  test('because it denies access or does not exist fails the batch', async () => {
    const worker = afterInsert();
    watchArchive(worker, () => {
      throw new FatalError('aws.denied', 'was denied');
    });

    await expect(archiveBatch(worker.archiveContext, worker.archiveStream.take())).rejects.toMatchObject({
      code: 'aws.denied',
    });
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('leaves the records of an item if its table could not be read', async () => {
    const worker = afterInsert();
    worker.port.before = () => {
      throw new TransientError('aws.throttled', 'was throttled');
    };

    expect((await archiveBatch(worker.archiveContext, worker.archiveStream.take())).size).toBe(1);
  });
});

describe('an invalid record', () => {
  test('is dead-lettered, and the others are archived', async () => {
    const worker = afterInsert();

    const failed = await archiveBatch(worker.archiveContext, [
      { id: '7', says: { unreadable: 'Expected the keys', record: 'event-7' } },
      ...worker.archiveStream.take(),
    ]);

    expect([...failed]).toEqual([]);
    expect(worker.queue.deadLettered).toEqual([
      { code: 'record.unreadable', reason: 'Expected the keys', record: 'event-7' },
    ]);
    expect(worker.archive.keys()).toEqual([location]);
  });

  test('fails if it has the last image of an item, which Lambda keeps in the end; the others are archived', async () => {
    const worker = afterInsert();
    const says = { unreadable: 'Expected the keys', record: 'event-7', lastImage: true } as const;

    const failed = await archiveBatch(worker.archiveContext, [
      { id: '7', says },
      ...worker.archiveStream.take(),
    ]);

    expect([...failed]).toEqual([
      ['7', expect.objectContaining({ code: 'record.unreadable', message: 'Expected the keys (event-7)' })],
    ]);
    expect(worker.queue.deadLettered).toEqual([]);
    expect(worker.archive.keys()).toEqual([location]);
  });

  test('is delivered again if it could not be dead-lettered', async () => {
    const worker = workerOver([]);
    worker.queue.refusing = true;

    const failed = await archiveBatch(worker.archiveContext, [
      { id: '7', says: { unreadable: 'x', record: 'y' } },
    ]);

    expect([...failed.keys()]).toEqual(['7']);
  });
});

describe('keys that other stores reject', () => {
  test.each(['..', '.', 'a/b', 'a#b', 'bear§books', '🐻', 's'.repeat(1000)])(
    'are archived like others: %s',
    async (id) => {
      const worker = workerOver([]);
      const odd = aLeg({ Sort: `LEG#${id}`, EndsAt: 1 });
      worker.table.put(odd);

      await worker.archiveRest();

      expect(worker.archive.keys().map((key) => itemIn(worker, key))).toEqual([odd]);
    },
  );
});

/** The item that an object holds, by its body. */
function itemIn(worker: ModelWorker, objectKey: string): Item {
  const parsed: unknown = JSON.parse(worker.archive.current(objectKey)?.body ?? '{}');
  if (typeof parsed !== 'object' || parsed === null || !('Item' in parsed))
    throw new Error(`Expected an item at ${objectKey}`);
  const { Item: held } = parsed;
  if (typeof held !== 'object' || held === null) throw new Error(`Expected an item at ${objectKey}`);
  return { ...held };
}

/** Every version of every object. */
function everything(worker: ModelWorker): string[] {
  return worker.archive
    .keys()
    .flatMap((key) => worker.archive.versions(key).map(({ body }) => `${key} ${body}`));
}

/** Runs an action before each of the first puts takes effect. */
function duringPut(worker: ModelWorker, times: number, act: () => void): void {
  let done = 0;
  watchArchive(worker, (request) => {
    if (request !== 'put' || done >= times) return;
    done += 1;
    act();
  });
}
