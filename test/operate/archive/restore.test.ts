import { describe, expect, test } from 'vitest';
import { DenormError, FatalError } from '../../../src/model/basics/errors.ts';
import type { RestoreOutcome } from '../../../src/operate/archive/restore.ts';
import { bodyOf } from '../../../src/worker/archive/object.ts';
import type { ArchiveReader } from '../../../src/worker/archive/ports.ts';
import { restoredKeyOf, restoredMark } from '../../../src/worker/archive/restored-mark.ts';
import { Budget } from '../../../src/worker/budget.ts';
import { CruiseArchive, layouts, watchedReader, withDetails } from '../../fixtures/cruises/cruise-archive.ts';
import { aLeg, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { Restore, withoutExpiry } from '../../fixtures/cruises/cruise-restore.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';

const ticket = aTicket({ EndsAt: 1_000 });

function which(outcomes: readonly RestoreOutcome[]) {
  return outcomes.map(({ is, kind, key }) => [is, kind, key?.sk]);
}

describe.each(layouts)('an expired item in the layout %s', (layout) => {
  test('is restored in the chosen state', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.expired(ticket);
    await cruise.expired(aTicket({ EndsAt: 2_000, Price: 3 }));

    await new Restore(cruise).run({ choose: ([first]) => first });

    expect(cruise.table.read(keyIn(ticket))).toEqual(withoutExpiry(ticket));
  });

  test('is marked as restored before it is put, so that no sweep archives it again', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.expired(ticket);
    const restoring = new Restore(cruise);
    const noteKey = restoredKeyOf('Ticket', keyIn(ticket));
    const noted: boolean[] = [];
    restoring.put.before = () => noted.push(restoring.notes.texts.has(noteKey));

    await restoring.run();

    expect(noted).toEqual([true]);
    expect(restoring.notes.texts.get(noteKey)).toBe(restoredMark(restoring.clock.now()));
  });

  test('is skipped if the table has an item with its key, at the cost of a read', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.expired(ticket);
    const anew = aTicket({ Price: 1 });
    cruise.table.put(anew);
    const restoring = new Restore(cruise);

    expect(which(await restoring.run())).toEqual([['exists', 'Ticket', 'TICKET']]);
    expect(cruise.table.read(keyIn(anew))).toEqual(anew);
    expect(restoring.put.puts).toBe(0);
    expect(restoring.notes.texts.size).toBe(0);
  });

  test('is skipped if another item is put between the read and the put', async () => {
    const cruise = new CruiseArchive({ layout });
    await cruise.expired(ticket);
    const anew = aTicket({ Price: 1 });
    const restoring = new Restore(cruise);
    restoring.put.before = () => cruise.table.put(anew);

    expect(which(await restoring.run())).toEqual([['exists', 'Ticket', 'TICKET']]);
    expect(cruise.table.read(keyIn(anew))).toEqual(anew);
  });

  test('is only counted in a dry run', async () => {
    const cruise = new CruiseArchive({ layout, storageClass: 'GLACIER' });
    await cruise.expired(ticket);
    const restoring = new Restore(cruise);

    expect(await restoring.run({ dryRun: true })).toMatchObject([
      { is: 'restored', kind: 'Ticket', storageClass: 'GLACIER', retrieval: true },
    ]);
    expect(cruise.table.read(keyIn(ticket))).toBeUndefined();
    expect([restoring.put.puts, restoring.notes.texts.size]).toEqual([0, 0]);
  });
});

describe('many items', () => {
  const legs = Array.from({ length: 250 }, (_, leg) => aLeg({ Sort: `LEG#${leg}`, EndsAt: 1_000 }));

  test.each(layouts)(
    'are restored together in the layout %s, limited to a time and a prefix on request',
    async (layout) => {
      const cruise = new CruiseArchive({ layout });
      await cruise.expired(...legs, ticket, aVoyage({ EndsAt: 1_000 }));

      const outcomes = await new Restore(cruise).run({}, { kinds: ['Leg'], skBegins: 'LEG#1' });

      expect(outcomes).toHaveLength(111);
      expect(new Set(outcomes.map(({ is }) => is))).toEqual(new Set(['restored']));
      expect(cruise.table.items()).toHaveLength(111);
    },
  );

  test('are looked up in the table a hundred at a time', async () => {
    const cruise = new CruiseArchive();
    await cruise.expired(...legs);
    const looks: number[] = [];
    cruise.worker.port.before = (request) => {
      if (request.kind === 'getMany') looks.push(request.keys.length);
    };

    await new Restore(cruise).run();

    expect(looks).toEqual([100, 100, 50]);
  });

  test('are put within the budget', async () => {
    const cruise = new CruiseArchive();
    await cruise.expired(...legs);
    const restoring = new Restore(cruise);
    const began = restoring.clock.now();

    await restoring.run({ writes: new Budget(50, restoring.clock) });

    const seconds = (restoring.clock.now() - began) / 1_000;
    expect(restoring.put.units).toBe(500);
    expect(restoring.put.units / seconds).toBeLessThanOrEqual(55);
    expect(seconds).toBeLessThan(12);
  });

  test('continue after a run that was stopped', async () => {
    const cruise = new CruiseArchive();
    await cruise.expired(...legs);
    const first = new Restore(cruise);
    await first.run({ stop: () => first.put.puts >= 120 });
    const second = new Restore(cruise);
    await second.run();

    expect(first.put.puts).toBeGreaterThanOrEqual(120);
    expect(first.put.puts).toBeLessThan(120 + 16);
    expect(first.listed).toBeLessThan(250);
    expect(first.put.puts + second.put.puts).toBe(250);
    expect(cruise.table.items()).toHaveLength(250);
  });
});

describe('an item that cannot be restored', () => {
  test('is reported, and the others are restored', async () => {
    const cruise = new CruiseArchive();
    const other = aTicket({ Part: 'TICKET#u', EndsAt: 1_000 });
    await cruise.expired(ticket, other);
    const { reader } = watchedReader(cruise.reader(), (request) => {
      if (/^read .*%23u/.test(request)) throw new DenormError('archive.damaged', 'Expected another');
    });

    const outcomes = await new Restore(cruise).run({ reader });

    expect(outcomes.map(({ is, error }) => [is, error?.code])).toEqual(
      [
        ['failed', 'archive.damaged'],
        ['restored', undefined],
      ].toSorted(),
    );
    expect(cruise.table.items()).toEqual([withoutExpiry(ticket)]);
  });

  test('is an item without a state that matches the choice', async () => {
    const cruise = new CruiseArchive();
    await cruise.expired(ticket);

    expect(which(await new Restore(cruise).run({ choose: () => undefined }))).toEqual([
      ['none', 'Ticket', 'TICKET'],
    ]);
  });

  test('is an item that DynamoDB refuses', async () => {
    const cruise = new CruiseArchive();
    await cruise.expired(ticket);
    const restoring = new Restore(cruise);
    restoring.put.putIfAbsent = async () => ({ outcome: 'refused', units: 1 });

    expect(await restoring.run()).toMatchObject([
      { is: 'failed', error: { code: 'table.refused', key: keyIn(ticket) } },
    ]);
  });

  test.each([
    ['another sort key', { ...ticket, Sort: { S: 'OTHER' } }],
    ['no key', { Kind: { S: 'Ticket' } }],
  ])('is an object whose item has %s', async (_, item) => {
    const cruise = new CruiseArchive();
    await cruise.archived(ticket);
    const reader: ArchiveReader = {
      ...withDetails(cruise.reader(), (details) => ({ ...details, digest: undefined })),
      read: async () => Buffer.from(bodyOf(item, new Uint8Array())),
    };

    const [outcome] = await new Restore(cruise).run({ reader, overwrite: true });

    const message = expect.stringContaining('found another item');
    expect(outcome).toMatchObject({ is: 'failed', error: { code: 'archive.other-item', message } });
  });

  test('because of a permanent failure ends the run', async () => {
    const cruise = new CruiseArchive();
    await cruise.expired(ticket);
    const restoring = new Restore(cruise);
    restoring.put.before = () => {
      throw new FatalError('aws.denied', 'PutItem was denied');
    };

    await expect(restoring.run()).rejects.toThrow('PutItem was denied');
  });
});
