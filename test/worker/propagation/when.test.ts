import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { defineRule } from '../../../src/model/define-rule.ts';
import type { Item } from '../../../src/model/item.ts';
import { makeRegistry, type Registry } from '../../../src/model/registry.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rule.ts';
import { propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { aBooking, aGuestTicket, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { ticketThatIsValid, voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { ByState, table } from '../../fixtures/model/table.ts';

const copyKey = keyIn(aGuestTicket());
const rootKey = keyIn(aTicket());
const annulled = { Status: 'ANNULLED' };

function keysThat(onDelete: 'clear' | 'keep'): Rule {
  return defineRule({
    name: 'ticket-state-keys',
    root: ticket,
    copy: ticket,
    reads: { root: ['Status'] },
    located: { in: 'itself' },
    when: { root: ({ Status }) => Status !== 'ANNULLED' },
    derive: { [ByState.pk]: ({ root }) => `STATUS#${root.Status}` },
    onDelete,
    onExpire: 'keep',
  });
}

function only(rule: Rule): Registry {
  return makeRegistry(table, [rule]);
}

function over(items: readonly Item[], onDelete: RemovalPolicy, onExpire?: RemovalPolicy): ModelWorker {
  return workerOver(items, {}, only(ticketThatIsValid(onDelete, onExpire)));
}

describe('a root for which when turns false', () => {
  test.each<[RemovalPolicy, Item | undefined]>([
    ['delete', undefined],
    ['clear', aGuestTicket({ Status: undefined, Price: undefined })],
    ['keep', aGuestTicket()],
  ])('leaves of its copies what onDelete says: %s', async (onDelete, left) => {
    const worker = over([aTicket(), aGuestTicket()], onDelete);
    worker.table.put(aTicket(annulled));

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(left);
    expect(worker.table.read(rootKey)).toEqual(aTicket(annulled));
  });

  test('loses its copies to a message that names none and no location', async () => {
    const worker = over([aTicket(annulled), aGuestTicket()], 'delete');

    await propagateMessage(worker.context, {
      ...{ rule: 'ticket-on-guest-ticket', root: rootKey, cause: 'repair', attempts: 0 },
    });

    expect(worker.table.read(copyKey)).toBeUndefined();
  });

  test('need not say any more where its copies were', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'delete');
    worker.table.put(aTicket({ ...annulled, SoldAt: undefined, GuestId: undefined }));

    await worker.rest();

    expect(worker.table.read(copyKey)).toBeUndefined();
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('has no copies to look for if it does not say where they are', async () => {
    const rule: Rule = {
      ...voyageOnBookings,
      when: { root: () => false },
      located: { in: 'partition', at: () => 'nowhere' as never },
    };
    const worker = workerOver([aVoyage(), aBooking('g')], {}, only(rule));
    const message = { rule: rule.name, root: keyIn(aVoyage()), cause: 'repair', attempts: 0 } as const;

    await propagateMessage(worker.context, message);

    expect(spent(worker)).toEqual({ get: 1, itemsRead: 1 });
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('removes them in a transaction that requires all that the rule reads of it to be as read', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'delete');
    worker.table.put(aTicket(annulled));
    const { transact } = worker.port;
    worker.port.transact = async (root, removals) => {
      worker.port.transact = transact;
      expect(Object.keys(root.expect === 'absent' ? {} : root.expect)).toContain('Status');
      worker.table.put(aTicket({ Price: 9 }));
      return transact.call(worker.port, root, removals);
    };

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket({ Price: 9 }));
  });

  test('is judged by the table: a late or repeated record of before changes nothing', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'delete');
    worker.table.put(aTicket(annulled));
    worker.table.put(aTicket({ Price: 9 }));
    const records = worker.stream.take();

    for (const batch of [records.slice(0, 1), records.slice(1), records, records.toReversed()])
      await propagateBatch(worker.context, batch);
    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket({ Price: 9 }));
  });

  test('updates copies again when it turns true', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'clear');
    for (const root of [aTicket(annulled), aTicket({ Price: 9 })]) {
      worker.table.put(root);
      await worker.rest();
    }

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket({ Price: 9 }));
  });

  test('does not bring back a deleted copy when it turns true', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'delete');
    for (const root of [aTicket(annulled), aTicket()]) {
      worker.table.put(root);
      await worker.rest();
    }

    expect(worker.table.read(copyKey)).toBeUndefined();
  });

  test.each([
    ['says where its copies were', {}],
    ['does not', { GuestId: undefined }],
  ])(
    'and that is deleted before its record arrives leaves what onDelete says, if it %s',
    async (_, without) => {
      const worker = over([aTicket(), aGuestTicket()], 'delete');
      worker.table.put(aTicket({ ...annulled, ...without }));
      worker.table.delete(rootKey);

      await worker.rest(1);

      expect(worker.table.read(copyKey)).toBeUndefined();
      expect(worker.queue.deadLettered).toEqual([]);
    },
  );

  test('and again true, and that expires before its record arrives, leaves what onExpire says', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'delete', 'keep');
    worker.table.put(aTicket({ ...annulled, GuestId: undefined }));
    worker.table.put(aTicket());
    const records = worker.stream.take();
    worker.table.expire(rootKey);

    await propagateBatch(worker.context, records);
    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket());
  });

  test('and that is deleted leaves none of the copies that were never looked at', async () => {
    const worker = over([aTicket(annulled), aGuestTicket()], 'delete');
    worker.table.delete(rootKey);

    await worker.rest();

    expect(worker.table.read(copyKey)).toBeUndefined();
  });

  test('may be deleted later, although nothing says where its copies were', async () => {
    const worker = over([aTicket({ ...annulled, GuestId: undefined })], 'delete');
    worker.table.delete(rootKey);

    await worker.rest();

    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('leaves alone a copy that names another root', async () => {
    const other = aGuestTicket({ TicketId: 'other' });
    const worker = over([aTicket(), other], 'delete');
    worker.table.put(aTicket(annulled));

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(other);
  });
});

describe('a copy whose root the rule does not apply to', () => {
  test.each<[RemovalPolicy, Item | undefined]>([
    ['delete', undefined],
    ['clear', aGuestTicket({ Status: undefined, Price: undefined })],
    ['keep', aGuestTicket()],
  ])('is checked when it is written, and %s applies', async (onDelete, left) => {
    const worker = over([aTicket({ ...annulled, SoldAt: undefined })], onDelete);
    worker.table.put(aGuestTicket());

    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(left);
  });

  test('is not written once it is cleared', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'clear');
    worker.table.put(aTicket(annulled));
    await oneBatch(worker);
    spent(worker);

    await worker.rest();

    expect(spent(worker)).not.toHaveProperty('remove');
  });
});

describe('an item that is its own copy', () => {
  const keyed = (status: string) =>
    aTicket({ Status: status, [ByState.pk]: `STATUS#${status}`, [ByState.sk]: undefined });

  test.each([
    ['clear', aTicket({ ...annulled, [ByState.pk]: undefined, [ByState.sk]: undefined })],
    ['keep', aTicket({ ...annulled, [ByState.pk]: 'STATUS#PAID', [ByState.sk]: undefined })],
  ] as const)('and that is excluded is as onDelete says: %s', async (onDelete, left) => {
    const worker = workerOver([keyed('PAID')], {}, only(keysThat(onDelete)));
    worker.table.put({ ...keyed('PAID'), Status: { S: 'ANNULLED' } });

    await worker.rest();

    expect(worker.table.read(rootKey)).toEqual(left);
    worker.table.put({ ...left, Status: { S: 'SENT' } });
    await worker.rest();
    expect(worker.table.read(rootKey)).toEqual(keyed('SENT'));
  });
});

describe('a when that fails on a root', () => {
  test.each<[string, () => boolean, string]>([
    [
      'throws',
      () => {
        throw new TypeError('no');
      },
      'rule.threw',
    ],
    ['returns a Promise', () => Promise.resolve(true) as unknown as boolean, 'rule.returned'],
  ])('because it %s, dead-letters the root and changes nothing', async (_, root, code) => {
    const worker = workerOver(
      [aTicket(), aGuestTicket()],
      {},
      only({ ...ticketThatIsValid('delete'), when: { root } }),
    );
    worker.table.put(aTicket(annulled));

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([{ code, message: { root: rootKey } }]);
    expect(worker.table.read(copyKey)).toEqual(aGuestTicket());
  });

  test('reads only what reads declares', async () => {
    const rule = {
      ...ticketThatIsValid('delete'),
      reads: { root: ['GuestId', 'SoldAt'], copy: ['TicketId'] },
    };
    const worker = workerOver([aTicket(), aGuestTicket()], {}, only(rule));
    worker.table.put(aTicket({ Price: 9 }));

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([{ code: 'rule.undeclared-read' }]);
  });
});
