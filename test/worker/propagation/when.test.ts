import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { defineRule } from '../../../src/model/define-rule.ts';
import type { Item } from '../../../src/model/item.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rule.ts';
import { propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { aBooking, aGuestTicket, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { ticketThatIsValid, voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { about, keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { justBefore, requestsOf } from '../../fixtures/cruises/table-faults.ts';
import { ByState, table } from '../../fixtures/model/table.ts';

const copyKey = keyIn(aGuestTicket());
const rootKey = keyIn(aTicket());
const annulled = aTicket({ Status: 'ANNULLED' });
const unlocating = aTicket({ Status: 'ANNULLED', GuestId: undefined });
const cheaper = aTicket({ Price: 9 });
const cheaperCopy = aGuestTicket({ Price: 9 });

function withRule(items: readonly Item[], rule: Rule): ModelWorker {
  return workerOver(items, {}, makeRegistry(table, [rule]));
}

function over(items: readonly Item[], onDelete: RemovalPolicy, onExpire?: RemovalPolicy): ModelWorker {
  return withRule(items, ticketThatIsValid(onDelete, onExpire));
}

/** The copy that is left after these puts of the root, each propagated. */
async function leftAfter(worker: ModelWorker, ...roots: readonly Item[]): Promise<Item | undefined> {
  for (const root of roots) {
    worker.table.put(root);
    await worker.rest();
  }
  expect(worker.queue.deadLettered).toEqual([]);
  return worker.table.read(copyKey);
}

const policies: [RemovalPolicy, Item | undefined][] = [
  ['delete', undefined],
  ['clear', aGuestTicket({ Status: undefined, Price: undefined })],
  ['keep', aGuestTicket()],
];

describe('a root for which when turns false', () => {
  test.each(policies)('leaves of its copies what onDelete says: %s', async (onDelete, left) => {
    const worker = over([aTicket(), aGuestTicket()], onDelete);

    expect(await leftAfter(worker, annulled)).toEqual(left);
    expect(worker.table.read(rootKey)).toEqual(annulled);
  });

  test('loses its copies to a message that names none and no location', async () => {
    const worker = over([annulled, aGuestTicket()], 'delete');

    await propagateMessage(worker.context, about('ticket-on-guest-ticket', annulled, { cause: 'repair' }));

    expect(worker.table.read(copyKey)).toBeUndefined();
  });

  test('need not say any more where its copies were', async () => {
    expect(await leftAfter(over([aTicket(), aGuestTicket()], 'delete'), unlocating)).toBeUndefined();
  });

  test('has no copies to look for if it does not say where they are', async () => {
    const nowhere: Rule['located'] = { in: 'partition', at: () => 'nowhere' as never };
    const rule = { ...voyageOnBookings, when: { root: () => false }, located: nowhere };
    const worker = withRule([aVoyage(), aBooking('g')], rule);

    await propagateMessage(worker.context, about(rule.name, aVoyage()));

    expect([spent(worker), worker.queue.deadLettered]).toEqual([{ get: 1, itemsRead: 1 }, []]);
  });

  test('removes them in a transaction that requires all that the rule reads of it to be as read', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'delete');
    justBefore(worker, 'remove', () => worker.table.put(cheaper));
    const requests = requestsOf(worker);

    expect(await leftAfter(worker, annulled)).toEqual(cheaperCopy);
    const removal = requests.find(({ kind }) => kind === 'remove');
    expect(removal).toHaveProperty('root.expect.Status', { S: 'ANNULLED' });
  });

  test('is judged by the table: a late or repeated record of before changes nothing', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'delete');
    worker.table.put(annulled);
    worker.table.put(cheaper);
    const records = worker.stream.take();

    for (const batch of [records.slice(0, 1), records.slice(1), records, records.toReversed()])
      await propagateBatch(worker.context, batch);
    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(cheaperCopy);
  });

  test.each([
    ['updates copies again', 'clear', cheaperCopy],
    ['does not bring back a deleted copy', 'delete', undefined],
  ] as const)('%s when it turns true', async (_, onDelete, left) => {
    expect(await leftAfter(over([aTicket(), aGuestTicket()], onDelete), annulled, cheaper)).toEqual(left);
  });

  test.each([
    ['says where its copies were', annulled],
    ['does not', unlocating],
  ])('and that is deleted before its record arrives leaves what onDelete says, if it %s', async (_, root) => {
    const worker = over([aTicket(), aGuestTicket()], 'delete');
    worker.table.put(root);
    worker.table.delete(rootKey);

    await worker.rest(1);

    expect([worker.table.read(copyKey), worker.queue.deadLettered]).toEqual([undefined, []]);
  });

  test('and again true, and that expires before its record arrives, leaves what onExpire says', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'delete', 'keep');
    worker.table.put(unlocating);
    worker.table.put(aTicket());
    const records = worker.stream.take();
    worker.table.expire(rootKey);

    await propagateBatch(worker.context, records);
    await worker.rest();

    expect(worker.table.read(copyKey)).toEqual(aGuestTicket());
  });

  test.each([
    ['leaves none of the copies that were never looked at', [annulled, aGuestTicket()]],
    ['needs no dead letter, although nothing says where its copies were', [unlocating]],
  ])('and that is deleted %s', async (_, items) => {
    const worker = over(items, 'delete');
    worker.table.delete(rootKey);

    await worker.rest();

    expect([worker.table.items(), worker.queue.deadLettered]).toEqual([[], []]);
  });

  test('leaves alone a copy that names another root', async () => {
    const other = aGuestTicket({ TicketId: 'other' });

    expect(await leftAfter(over([aTicket(), other], 'delete'), annulled)).toEqual(other);
  });
});

describe('a copy whose root the rule does not apply to', () => {
  test.each(policies)('is checked when it is written, and %s applies', async (onDelete, left) => {
    const worker = over([aTicket({ Status: 'ANNULLED', SoldAt: undefined })], onDelete);

    expect(await leftAfter(worker, aGuestTicket())).toEqual(left);
  });

  test('is not written once it is cleared', async () => {
    const worker = over([aTicket(), aGuestTicket()], 'clear');
    worker.table.put(annulled);
    await oneBatch(worker);
    spent(worker);

    await worker.rest();

    expect(spent(worker)).not.toHaveProperty('remove');
  });
});

test.each([
  ['clear', undefined],
  ['keep', 'STATUS#PAID'],
] as const)(
  'an item that is its own copy and is excluded is as onDelete says: %s',
  async (onDelete, StatePart) => {
    const keyed = (Status: string, key?: string) => aTicket({ Status, StatePart: key, StateSort: undefined });
    const rule = defineRule({
      ...{ name: 'ticket-state-keys', root: ticket, copy: ticket, reads: { root: ['Status'] } },
      located: { in: 'itself' },
      when: { root: ({ Status }) => Status !== 'ANNULLED' },
      derive: { [ByState.pk]: ({ root }) => `STATUS#${root.Status}` },
      ...{ onDelete, onExpire: 'keep' },
    });
    const worker = withRule([keyed('PAID', 'STATUS#PAID')], rule);

    await leftAfter(worker, keyed('ANNULLED', 'STATUS#PAID'));
    expect(worker.table.read(rootKey)).toEqual(keyed('ANNULLED', StatePart));
    await leftAfter(worker, keyed('SENT', StatePart));
    expect(worker.table.read(rootKey)).toEqual(keyed('SENT', 'STATUS#SENT'));
  },
);

describe('a when that fails on a root', () => {
  const throws = () => {
    throw new TypeError('no');
  };
  const undeclared = { root: ['GuestId', 'SoldAt'], copy: ['TicketId'] };

  test.each<[string, Partial<Rule>, string]>([
    ['throws', { when: { root: throws } }, 'rule.threw'],
    ['returns a Promise', { when: { root: () => Promise.resolve(true) as never } }, 'rule.returned'],
    ['reads what reads does not declare', { reads: undeclared }, 'rule.undeclared-read'],
  ])('because it %s, dead-letters the root and changes nothing', async (_, broken, code) => {
    const worker = withRule([aTicket(), aGuestTicket()], { ...ticketThatIsValid('delete'), ...broken });
    worker.table.put(annulled);
    worker.table.put(cheaper);

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([{ code, message: { root: rootKey } }]);
    expect(worker.table.read(copyKey)).toEqual(aGuestTicket());
  });
});
