import { describe, expect, test } from 'vitest';
import type { TableRequest } from '../../../src/develop/testing/table-model/model-table-port.ts';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import type { Item } from '../../../src/model/item.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import {
  aBooking,
  aCrewing,
  aGuestTicket,
  aSailor,
  aTicket,
  aVoyage,
} from '../../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnRankThat } from '../../fixtures/cruises/cruise-rules.ts';
import { afterClosing, keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';

const g = keyIn(aBooking('g'));

describe('a write that lost its condition', () => {
  test('is planned again from the copy and then the root, both read again', async () => {
    const worker = afterClosing(['f', 'g']);
    const asked = requestsOf(worker);
    once(worker, 'update', () => worker.table.update(g, { set: { Captain: { S: 'Nemo' } } }));

    await oneBatch(worker);

    expect(asked).toEqual(['queryPartition', 'get', 'update', 'getMany', 'get', 'update']);
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' }, Captain: { S: 'Ahab' } });
    expect(worker.telemetry.propagations).toMatchObject([{ written: 2, lost: 1, requeued: 0 }]);
  });

  test('uses the current root', async () => {
    const worker = afterClosing(['g']);
    once(worker, 'update', () => {
      worker.table.put(aVoyage({ State: 'GONE' }));
      worker.table.update(g, { set: { State: { S: 'odd' } } });
    });

    await oneBatch(worker);

    expect(worker.table.read(g)).toMatchObject({ State: { S: 'GONE' }, OwnerSort: { S: 'GONE#100' } });
  });

  test('does not create a deleted copy again', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage({ State: 'CLOSED', Wind: 'N' }));
    once(worker, 'update', () => worker.table.delete(g));

    await oneBatch(worker);

    expect(worker.table.read(g)).toBeUndefined();
    expect(worker.queue.sent).toEqual([]);
  });

  test('is requeued after a few rounds, for that copy only, and is not dropped', async () => {
    const worker = afterClosing(['f', 'g'], { rounds: 3 });
    let captain = 0;
    worker.port.before = ({ kind }) => {
      if (kind !== 'update') return;
      captain += 1;
      worker.table.update(g, { set: { Captain: { S: `usurper ${captain}` } } });
    };

    const failed = await oneBatch(worker);

    expect([...failed]).toEqual([]);
    expect(captain).toBe(3);
    expect(worker.queue.sent).toMatchObject([
      {
        message: {
          rule: 'voyage-on-bookings',
          root: keyIn(aVoyage()),
          cause: 'changed',
          copies: [g],
          attempts: 1,
        },
      },
    ]);
    worker.port.before = () => {};
    await fanOutBatch(worker.context, worker.queue.take());
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' }, Captain: { S: 'Ahab' } });
  });
});

describe('a table that is throttled', () => {
  test.each(['queryPartition', 'get', 'update'] as const)(
    'at %s: the propagation is requeued with a delay, and its record is acknowledged',
    async (kind) => {
      const worker = afterClosing(['g']);
      const recover = throttle(worker, kind);

      const failed = await oneBatch(worker);

      expect([...failed]).toEqual([]);
      expect(worker.queue.sent).toMatchObject([
        {
          delaySeconds: 1,
          message: {
            rule: 'voyage-on-bookings',
            cause: 'changed',
            attempts: 0,
            unavailableSince: worker.time,
          },
        },
      ]);
      expect(worker.telemetry.failures).toHaveLength(1);
      recover();
      await worker.rest();
      expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' } });
      expect(worker.queue.deadLettered).toEqual([]);
    },
  );

  test('at one copy: only that copy is requeued', async () => {
    const worker = afterClosing(['f', 'g']);
    worker.port.answer = (key, outcome) => (key.sk === 'g' ? 'unavailable' : outcome);

    await oneBatch(worker);

    expect(worker.queue.sent).toMatchObject([
      { message: { copies: [g], attempts: 0, unavailableSince: worker.time } },
    ]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 1, requeued: 1 }]);
  });

  test('after a write that succeeded: the retry writes nothing', async () => {
    const worker = afterClosing(['g']);
    worker.port.answer = () => 'unavailable';
    await oneBatch(worker);
    worker.port.answer = (_, outcome) => outcome;
    spent(worker);

    await worker.rest();

    expect(spent(worker)).not.toHaveProperty('itemsWritten');
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' } });
  });

  test('while copies are checked: the checks are requeued with their copies', async () => {
    const worker = workerOver([aVoyage()]);
    worker.table.put(aBooking('f', { State: 'stale' }));
    worker.table.put(aBooking('g', { State: 'stale' }));
    const recover = throttle(worker, 'getMany');

    const failed = await oneBatch(worker);

    expect([...failed]).toEqual([]);
    expect(worker.queue.sent).toMatchObject([
      {
        delaySeconds: 1,
        message: {
          cause: 'check',
          copies: [{ sk: 'f' }, { sk: 'g' }],
          attempts: 0,
          unavailableSince: worker.time,
        },
      },
    ]);
    recover();
    await worker.rest();
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'OPEN' } });
  });

  test('on a later page: the requeued message continues from the start of that page', async () => {
    const worker = afterClosing(['a', 'b', 'c', 'd'], { pageLimit: 2 });
    await oneBatch(worker);
    const recover = throttle(worker, 'get');

    await fanOutBatch(worker.context, worker.queue.take());

    expect(worker.queue.sent.at(-1)).toMatchObject({
      message: { cursor: { Sort: 'b' }, attempts: 0, unavailableSince: worker.time },
    });
    recover();
    spent(worker);
    await fanOutBatch(worker.context, worker.queue.take());
    expect(spent(worker)).toMatchObject({ itemsWritten: 2 });
  });

  test('at one copy of a later page: the message names that copy, and the page is not repeated', async () => {
    const worker = afterClosing(['a', 'b', 'c', 'd'], { pageLimit: 2 });
    await oneBatch(worker);
    worker.port.answer = (key, outcome) => (key.sk === 'c' ? 'unavailable' : outcome);

    await fanOutBatch(worker.context, worker.queue.take());

    const named = worker.queue.sent.find(({ message }) => message.copies !== undefined);
    expect(named).toMatchObject({
      message: { copies: [{ sk: 'c' }], attempts: 0, unavailableSince: worker.time },
    });
    expect(named?.message).not.toHaveProperty('cursor');
  });

  test('does not delay the other records of the batch', async () => {
    const worker = workerOver([aVoyage(), aBooking('g'), aTicket(), aGuestTicket()]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));
    worker.table.put(aTicket({ Price: 1 }));
    throttle(worker, 'queryPartition');

    await oneBatch(worker);

    expect(worker.table.read(keyIn(aGuestTicket()))).toMatchObject({ Price: { N: '1' } });
  });

  test('for three hours: the delay grows each time, nothing is dead-lettered, and the copies converge', async () => {
    const worker = afterClosing(['g'], { maxAttempts: 2 });
    worker.table.put(aBooking('h', { State: 'stale' }));
    const recover = throttle(worker, 'get', 'getMany', 'queryPartition', 'update');

    expect([...(await oneBatch(worker))]).toEqual([]);
    const delays = await worker.workOff(3 * 3600);
    recover();
    await worker.workOff(900);

    expect(delays.length).toBeGreaterThan(20);
    expect(Math.max(...delays)).toBe(900);
    expect(worker.queue.deadLettered).toEqual([]);
    expect(worker.queue.shortestDelay()).toBeUndefined();
    for (const copy of [g, keyIn(aBooking('h'))])
      expect(worker.table.read(copy)).toMatchObject({ State: { S: 'CLOSED' } });
  });

  test('for longer than the limit: the work is dead-lettered, with the start of the unavailability', async () => {
    const worker = afterClosing(['g'], { maxUnavailableSeconds: 100 });
    throttle(worker, 'get');
    const unavailableSince = worker.time;

    await oneBatch(worker);

    expect(await worker.workOff(1000)).toEqual([1, 1, 2, 4, 8, 16, 32, 64]);
    expect(worker.queue.deadLettered).toMatchObject([
      {
        code: 'unavailable.too-long',
        reason: 'Gave up: DynamoDB was not available for this for more than 100 seconds',
        message: { rule: 'voyage-on-bookings', root: keyIn(aVoyage()), attempts: 0, unavailableSince },
      },
    ]);
    expect(worker.telemetry.parkings).toEqual(worker.queue.deadLettered);
  });

  test('has a default limit of two days', () => {
    expect(defaultSettings.maxUnavailableSeconds).toBe(2 * 86_400);
  });

  test('resets the time if a fan-out makes progress', async () => {
    const worker = afterClosing(['a', 'b', 'c'], { pageLimit: 1 });
    const recover = throttle(worker, 'get');
    await oneBatch(worker);
    recover();

    await fanOutBatch(worker.context, worker.queue.take());

    expect(worker.queue.sent.at(-1)?.message).toMatchObject({ cursor: { Sort: 'a' }, attempts: 0 });
    expect(worker.queue.sent.at(-1)?.message).not.toHaveProperty('unavailableSince');
  });

  test('and a lost condition on one page are requeued separately, each with its own limit', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('f'), aBooking('g')], { rounds: 1 });
    worker.port.answer = (key) => (key.sk === 'g' ? 'unavailable' : 'lost');
    const copies = ['f', 'g'].map((guest) => keyIn(aBooking(guest)));
    const since = worker.time - 5000;
    const message = {
      ...{ rule: 'voyage-on-bookings', root: keyIn(aVoyage()), cause: 'changed', copies, attempts: 3 },
      unavailableSince: since,
    };

    await fanOutBatch(worker.context, [{ id: 'm', body: JSON.stringify(message) }]);

    expect(worker.queue.sent.map((sent) => sent.message)).toEqual([
      { ...message, locations: [], copies: [copies[0]], attempts: 4, unavailableSince: undefined },
      { ...message, locations: [], copies: [copies[1]] },
    ]);
    expect(worker.queue.sent.map(({ delaySeconds }) => delaySeconds)).toEqual([8, 5]);
  });

  test('at one copy, while another is planned again: both are requeued', async () => {
    const worker = afterClosing(['f', 'g'], { rounds: 2 });
    worker.port.answer = (key) => (key.sk === 'g' ? 'unavailable' : 'lost');
    worker.port.before = ({ kind }) => {
      if (kind === 'getMany') worker.table.update(keyIn(aBooking('f')), { set: { State: { S: 'stale' } } });
    };

    await oneBatch(worker);

    expect(worker.queue.sent.map(({ message }) => message.copies)).toEqual([[keyIn(aBooking('f'))], [g]]);
  });

  test('ignores a start of unavailability in the future', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    throttle(worker, 'get');
    const message = {
      ...{ rule: 'voyage-on-bookings', root: keyIn(aVoyage()), cause: 'changed', attempts: 0 },
      unavailableSince: worker.time + 60_000,
    };

    await fanOutBatch(worker.context, [{ id: 'm', body: JSON.stringify(message) }]);

    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 1, message: { unavailableSince: worker.time } },
    ]);
  });
});

describe('a copy that something keeps overwriting', () => {
  test('is delayed longer after each delivery without progress, and is dead-lettered after the last attempt', async () => {
    const worker = afterClosing(['g'], { maxAttempts: 12, rounds: 1 });
    let captain = 0;
    worker.port.before = ({ kind }) => {
      captain += 1;
      if (kind === 'update') worker.table.update(g, { set: { Captain: { S: `usurper ${captain}` } } });
    };

    await oneBatch(worker);

    expect(await worker.workOff(86_400)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'attempts.exceeded', message: { rule: 'voyage-on-bookings', copies: [g], attempts: 12 } },
    ]);
    expect(worker.telemetry.parkings).toEqual(worker.queue.deadLettered);
  });

  test('is dead-lettered alone, and the others of its page are written', async () => {
    const worker = afterClosing(['f', 'g'], { maxAttempts: 3, rounds: 1 });
    worker.port.answer = (key, outcome) => (key.sk === 'g' ? 'lost' : outcome);
    worker.port.before = ({ kind }) => {
      if (kind === 'getMany') worker.table.update(g, { set: { State: { S: 'stale' } } });
    };

    await oneBatch(worker);
    await worker.workOff(1000);

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'attempts.exceeded', message: { copies: [g] } },
    ]);
    expect(worker.table.read(keyIn(aBooking('f')))).toMatchObject({ State: { S: 'CLOSED' } });
  });
});

describe('a queue that refuses', () => {
  test('causes another delivery only of the record whose work it refused', async () => {
    const worker = workerOver([aVoyage(), aBooking('g'), aTicket(), aGuestTicket()]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));
    worker.table.put(aTicket({ Price: 1 }));
    throttle(worker, 'queryPartition');
    worker.queue.refusing = true;
    const [first] = worker.table.history.slice(-2);

    const failed = await oneBatch(worker);

    expect([...failed.keys()]).toEqual([String(first?.sequence)]);
    expect(failed.get(String(first?.sequence))).toMatchObject({ code: 'queue.refused' });
    expect(worker.table.read(keyIn(aGuestTicket()))).toMatchObject({ Price: { N: '1' } });
  });

  test('causes another delivery of a record whose recheck it refused', async () => {
    const worker = workerOver([aSailor(), aCrewing('s')]);
    worker.table.put(aSailor({ Name: 'Queequeg' }));
    worker.queue.refusing = true;

    expect((await oneBatch(worker)).size).toBe(1);
    expect(worker.telemetry.failures).toHaveLength(1);
  });

  test('causes another delivery of every record of an item whose propagation it refused', async () => {
    const worker = afterClosing(['g']);
    worker.table.put(aVoyage({ State: 'GONE' }));
    throttle(worker, 'get');
    worker.queue.refusing = true;

    expect((await oneBatch(worker)).size).toBe(2);
  });

  test('causes another delivery of every record of the copies whose check it refused', async () => {
    const worker = workerOver([aVoyage()]);
    worker.table.put(aBooking('f'));
    worker.table.put(aBooking('g'));
    throttle(worker, 'getMany');
    worker.queue.refusing = true;

    expect((await oneBatch(worker)).size).toBe(2);
  });

  test('causes another delivery of every record of the copies whose propagation it refused after their check', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' })]);
    worker.table.put(aBooking('f'));
    worker.table.put(aBooking('g'));
    throttle(worker, 'update');
    worker.queue.refusing = true;

    expect((await oneBatch(worker)).size).toBe(2);
  });

  test('causes another delivery of a record that could not be dead-lettered', async () => {
    const worker = workerOver([aBooking('g')]);
    worker.table.put(aVoyage({ State: undefined }));
    worker.queue.refusing = true;

    expect((await oneBatch(worker)).size).toBe(1);
  });

  test('causes another delivery of a message', async () => {
    const worker = workerOver([aVoyage()]);
    worker.queue.refusing = true;

    const failed = await fanOutBatch(worker.context, [{ id: 'm', body: 'nonsense' }]);

    expect([...failed.keys()]).toEqual(['m']);
  });
});

describe('a table that denies access or does not exist', () => {
  test.each<[TableRequest['kind'], Item]>([
    ['queryPartition', aVoyage({ State: 'CLOSED' })],
    ['get', aVoyage({ State: 'CLOSED' })],
    ['update', aVoyage({ State: 'CLOSED' })],
    ['getMany', aBooking('g', { State: 'stale' })],
    ['queryIndex', aSailor({ Name: 'x' })],
    ['remove', aTicket({ GuestId: 'x' })],
  ])('at %s: the batch fails, and nothing is dead-lettered or queued', async (kind, change) => {
    const worker = workerOver([
      aVoyage(),
      aBooking('g'),
      aSailor(),
      aCrewing('s'),
      aTicket(),
      aGuestTicket(),
    ]);
    worker.table.put(change);
    refuse(worker, [kind], new FatalError('aws.denied', 'was denied'));

    await expect(oneBatch(worker)).rejects.toMatchObject({ name: 'FatalError', code: 'aws.denied' });

    expect(worker.queue.deadLettered).toEqual([]);
    expect(worker.queue.sent).toEqual([]);
  });

  test('fails a batch of messages as well', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    await worker.queue.send([
      { rule: 'voyage-on-bookings', root: keyIn(aVoyage()), cause: 'repair', attempts: 0 },
    ]);
    refuse(worker, ['get'], new FatalError('aws.not-found', 'no such table'));

    await expect(fanOutBatch(worker.context, worker.queue.take())).rejects.toMatchObject({
      code: 'aws.not-found',
    });
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('for one message causes another delivery of that one, and what the others requeued stays', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('f'), aBooking('g'), aTicket()], {
      pageLimit: 1,
    });
    const message = { cause: 'repair', attempts: 0 } as const;
    await worker.queue.send([
      { ...message, rule: 'voyage-on-bookings', root: keyIn(aVoyage()) },
      { ...message, rule: 'ticket-on-guest-ticket', root: keyIn(aTicket()) },
    ]);
    worker.port.before = (request) => {
      if (request.kind === 'getMany') throw new FatalError('aws.denied', 'was denied');
    };

    const failed = await fanOutBatch(worker.context, worker.queue.take());

    expect([...failed.keys()]).toEqual(['message-2']);
    expect(worker.queue.sent.slice(2)).toMatchObject([{ message: { cursor: { Sort: 'f' } } }]);
  });
});

describe('a root that cannot be projected', () => {
  test.each<[string, Item, string]>([
    ['lacks an attribute that a rule reads', aVoyage({ State: undefined }), 'root.invalid'],
    ['has it in another type', aVoyage({ DepartsAt: 'soon' }), 'root.invalid'],
    ['has an id that does not fit the key of its copies', aVoyage({ Sort: 'voyage_a#b' }), 'key.unwritable'],
    ['does not locate its copies', aTicket({ GuestId: undefined }), 'root.invalid'],
    ['locates its copies at an impossible key', aTicket({ GuestId: 'x'.repeat(2100) }), 'root.unlocatable'],
  ])('and %s is dead-lettered once, with key and reason', async (_, root, code) => {
    const worker = workerOver([aBooking('f'), aBooking('g')]);
    worker.table.put(root);

    const failed = await oneBatch(worker);

    expect([...failed]).toEqual([]);
    expect(worker.queue.deadLettered).toEqual([
      { code, reason: expect.any(String), message: expect.objectContaining({ root: keyIn(root) }) },
    ]);
    expect(worker.telemetry.parkings).toEqual(worker.queue.deadLettered);
  });

  test('is dead-lettered again with each delivery, and not more often', async () => {
    const worker = workerOver([aBooking('g')]);
    worker.table.put(aVoyage({ State: undefined }));
    const batch = worker.stream.take();

    await propagateBatch(worker.context, batch);
    await propagateBatch(worker.context, [...batch, ...batch]);
    await worker.rest();

    expect(worker.queue.deadLettered).toHaveLength(2);
  });

  test('does not stop the others', async () => {
    const worker = workerOver([aBooking('g'), aTicket(), aGuestTicket()]);
    worker.table.put(aVoyage({ State: undefined }));
    worker.table.put(aTicket({ Price: 1 }));

    await oneBatch(worker);

    expect(worker.queue.deadLettered).toHaveLength(1);
    expect(worker.table.read(keyIn(aGuestTicket()))).toMatchObject({ Price: { N: '1' } });
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'OPEN' } });
  });

  test.each<[string, Item]>([
    ['without its state', aVoyage({ State: undefined, Captain: 'Nemo' })],
    ['with a departure that is not a number', aVoyage({ DepartsAt: 'soon', Captain: 'Nemo' })],
  ])('matches when it is repaired, and its copies follow: %s', async (_, broken) => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(broken);
    await worker.rest();
    expect(worker.table.read(g)).toEqual(aBooking('g'));

    worker.table.put(aVoyage({ State: 'CLOSED', Captain: 'Nemo' }));
    await worker.rest();

    expect(worker.table.read(g)).toMatchObject({
      State: { S: 'CLOSED' },
      Captain: { S: 'Nemo' },
      OwnerSort: { S: 'CLOSED#100' },
    });
    expect(worker.queue.deadLettered).toHaveLength(1);
  });

  test('dead-letters a copy that is checked, and writes nothing', async () => {
    const worker = workerOver([aVoyage({ State: undefined })]);
    worker.table.put(aBooking('g'));

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'root.invalid', message: { cause: 'check', copies: [g] } },
    ]);
    expect(spent(worker)).not.toHaveProperty('itemsWritten');
  });
});

describe('a copy that cannot be updated', () => {
  test('is dead-lettered alone if it would exceed 400 KB; the others are written', async () => {
    const worker = workerOver([
      aVoyage(),
      aBooking('f'),
      aBooking('g', { Cabin: 'x'.repeat(300 * 1024) }),
      aBooking('h'),
    ]);
    worker.table.put(aVoyage({ Log: 'y'.repeat(150 * 1024) }));

    const failed = await oneBatch(worker);

    expect([...failed]).toEqual([]);
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.too-large', message: { copies: [g] } }]);
    expect(spent(worker)).toMatchObject({ itemsWritten: 2 });
    expect(worker.table.read(keyIn(aBooking('h')))).toHaveProperty('Log');
  });

  test('is dead-lettered alone if DynamoDB refuses the write', async () => {
    const worker = afterClosing(['f', 'g']);
    worker.port.answer = (key, outcome) => (key.sk === 'g' ? 'refused' : outcome);

    await oneBatch(worker);

    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.refused', message: { copies: [g] } }]);
    expect(worker.queue.sent).toEqual([]);
  });

  test('is requeued alone if the table takes no more for now', async () => {
    const worker = afterClosing(['f', 'g']);
    worker.port.answer = (key, outcome) => (key.sk === 'g' ? 'throttled' : outcome);

    await oneBatch(worker);

    expect(worker.queue.sent).toMatchObject([
      { message: { copies: [g], attempts: 0, unavailableSince: worker.time } },
    ]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 1, lost: 0 }]);
  });

  test('does not reveal its content', async () => {
    const worker = workerOver([aVoyage(), aBooking('g', { Cabin: `secret${'x'.repeat(300 * 1024)}` })]);
    worker.table.put(aVoyage({ Log: `secret${'y'.repeat(150 * 1024)}`, State: undefined }));
    worker.table.put(aVoyage({ Log: `secret${'y'.repeat(150 * 1024)}` }));

    await worker.rest();

    expect(worker.queue.deadLettered.length).toBeGreaterThan(0);
    expect(
      JSON.stringify([worker.queue.deadLettered, worker.telemetry.propagations, worker.telemetry.parkings]),
    ).not.toContain('secret');
  });
});

describe('an invalid record or message', () => {
  test('an invalid record is dead-lettered with what is known of it; the others are processed', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.put(aTicket({ Price: 1 }));

    const failed = await propagateBatch(worker.context, [
      { id: '7', says: { unreadable: 'Expected the keys', record: 'event-7' } },
      ...worker.stream.take(),
    ]);

    expect([...failed]).toEqual([]);
    expect(worker.queue.deadLettered).toEqual([
      { code: 'record.unreadable', reason: 'Expected the keys', record: 'event-7' },
    ]);
    expect(worker.table.read(keyIn(aGuestTicket()))).toMatchObject({ Price: { N: '1' } });
  });

  test.each([
    ['no JSON', '{'],
    ['another JSON', '[]'],
    ['a message without a root', '{"rule":"x","cause":"changed","attempts":0}'],
  ])('a body with %s stays in the queue, which alone keeps it; the others are processed', async (_, body) => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('g')]);
    await worker.queue.send([
      { rule: 'voyage-on-bookings', root: keyIn(aVoyage()), cause: 'repair', attempts: 0 },
    ]);

    const failed = await fanOutBatch(worker.context, [{ id: 'm-1', body }, ...worker.queue.take()]);

    expect([...failed]).toEqual([['m-1', expect.objectContaining({ code: 'message.unreadable' })]]);
    expect(worker.queue.deadLettered).toEqual([]);
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' } });
  });

  test('a message for an unknown rule is dead-lettered', async () => {
    const worker = workerOver([]);
    await worker.queue.send([{ rule: 'old-rule', root: keyIn(aVoyage()), cause: 'changed', attempts: 0 }]);

    await fanOutBatch(worker.context, worker.queue.take());

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'rule.unknown', message: { rule: 'old-rule' } },
    ]);
  });

  test('a message for an index that the table has no more is dead-lettered', async () => {
    const worker = workerOver([aSailor(), aCrewing('s')]);
    const locations = [{ in: 'index', index: 'ByMoon', pk: 'SAILOR#1' } as const];
    const message = { rule: 'name-on-crew', root: keyIn(aSailor()), cause: 'deleted', locations } as const;
    await worker.queue.send([{ ...message, attempts: 0 }]);

    const failed = await fanOutBatch(worker.context, worker.queue.take());

    expect([...failed]).toEqual([]);
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'index.unknown', message }]);
  });

  test('an unexpected error of a rule fails only its own record', async () => {
    const worker = workerOver([aTicket(), aGuestTicket()]);
    worker.table.put(aTicket({ Price: 1 }));
    const good = worker.stream.take();
    const impossible = {
      get Part(): never {
        throw new TypeError('x');
      },
    };
    const poison = {
      key: keyIn(aVoyage()),
      before: undefined,
      after: impossible,
      sequence: 1n,
      expired: false,
      at: 0,
    };

    const failed = await propagateBatch(worker.context, [{ id: 'poison', says: poison }, ...good]);

    expect([...failed.keys()]).toEqual(['poison']);
    expect(worker.table.read(keyIn(aGuestTicket()))).toMatchObject({ Price: { N: '1' } });
  });
});

describe('an invocation that is about to end', () => {
  test('starts nothing: it requeues the propagations and acknowledges every record', async () => {
    const worker = afterClosing(['g']);
    worker.outOfTime = true;

    const failed = await oneBatch(worker);

    expect([...failed]).toEqual([]);
    expect(spent(worker)).toEqual({});
    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 0, message: { cause: 'changed', attempts: 0 } },
    ]);
    worker.outOfTime = false;
    await worker.rest();
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' } });
  });

  test('ends a fan-out after the current page', async () => {
    const atRank = (ship: string, rank: string) => aCrewing(ship, { OwnerPart: `RANK#${rank}` });
    const worker = workerOver(
      [aSailor(), atRank('a', 'mate'), atRank('b', 'mate'), atRank('c', 'captain')],
      {},
      cruises(nameOnRankThat('delete', 'keep')),
    );
    worker.table.put(aSailor({ Rank: 'captain', Name: 'Queequeg' }));
    once(worker, 'remove', () => {
      worker.outOfTime = true;
    });

    await oneBatch(worker);

    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 0, message: { locations: [{ pk: 'RANK#mate' }, { pk: 'RANK#captain' }], at: 1 } },
    ]);
    worker.outOfTime = false;
    await worker.rest();
    expect(worker.table.items()).toHaveLength(2);
    expect(worker.table.read(keyIn(aCrewing('c')))).toMatchObject({ Name: { S: 'Queequeg' } });
  });

  test('requeues contended copies without further rounds', async () => {
    const worker = afterClosing(['g']);
    once(worker, 'update', () => {
      worker.table.update(g, { set: { State: { S: 'odd' } } });
      worker.outOfTime = true;
    });

    await oneBatch(worker);

    expect(worker.queue.sent).toMatchObject([{ message: { copies: [g] } }]);
  });

  test('requeues a message unchanged', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    const message = {
      rule: 'voyage-on-bookings',
      root: keyIn(aVoyage()),
      cause: 'repair',
      attempts: 3,
    } as const;
    await worker.queue.send([message]);
    worker.outOfTime = true;

    await fanOutBatch(worker.context, worker.queue.take());

    expect(worker.queue.sent.at(-1)?.message).toEqual(message);
  });
});

/** Throttles every request of these kinds, until the returned function is called. */
function throttle(worker: ModelWorker, ...kinds: readonly TableRequest['kind'][]): () => void {
  return refuse(worker, kinds, new TransientError('aws.throttled', 'was throttled'));
}

/** Makes every request of these kinds fail, until the returned function is called. */
function refuse(worker: ModelWorker, kinds: readonly TableRequest['kind'][], error: Error): () => void {
  worker.port.before = ({ kind }) => {
    if (kinds.includes(kind)) throw error;
  };
  return () => {
    worker.port.before = () => {};
  };
}

/** Calls `act` just before the first request of this kind. */
function once(worker: ModelWorker, kind: TableRequest['kind'], act: () => void): void {
  const before = worker.port.before;
  worker.port.before = (request) => {
    before(request);
    if (request.kind !== kind) return;
    worker.port.before = before;
    act();
  };
}

/** The kinds of all requests from now on, in order. */
function requestsOf(worker: ModelWorker): string[] {
  const kinds: string[] = [];
  const before = worker.port.before;
  worker.port.before = (request) => {
    kinds.push(request.kind);
    before(request);
  };
  return kinds;
}
