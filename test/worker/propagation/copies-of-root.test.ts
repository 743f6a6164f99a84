import { describe, expect, test } from 'vitest';
import type { CopyLocation } from '../../../src/model/items/copy-location.ts';
import { type Item, keyed } from '../../../src/model/items/item.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import type { Message } from '../../../src/model/work/message.ts';
import { CopiesOfRoot } from '../../../src/worker/propagation/copies-of-root.ts';
import { Pace } from '../../../src/worker/propagation/pace.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { table } from '../../fixtures/model/table.ts';
import { aMembership, anOrder, aUser, aUserOrder } from '../../fixtures/world/items.ts';
import { titleOnTags } from '../../fixtures/world/posts.ts';
import {
  orderOnUserOrder,
  orderStateKeys,
  orderThatIsValid,
  usernameOnMemberships,
} from '../../fixtures/world/rules.ts';
import { about, keyIn, spent } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

/** The copies of a root, as a propagation by this rule sees them in a table with these items. */
function copiesBy(rule: Rule, items: readonly Item[]) {
  const worker = workerOver(items);
  const { context } = worker;
  const message = about(rule.name, items[0] ?? anOrder());
  const tally = { unchanged: 0 } as never;
  const pace = new Pace(context.settings.fanOutWriteUnits, context.clock, message);
  const copies = new CopiesOfRoot(bound(rule), { context, message, pace, tally });
  return { copies, worker, message };
}

const userOrder: CopyLocation = { in: 'key', pk: 'USER#42', sk: 'ORDER#2026-01-15' };

describe('the copies of a root are located', () => {
  const lacking = { UserId: undefined };
  const annulled = { Status: 'ANNULLED' };
  const valid = orderThatIsValid('delete');

  test.each<[string, Rule, Item, Partial<Message>, object]>([
    ['where it places them now', orderOnUserOrder, anOrder(), {}, { locations: [userOrder] }],
    [
      'where the message says, whatever it places now',
      orderOnUserOrder,
      anOrder(),
      { locations: [{ ...userOrder, pk: 'USER#1' }] },
      { locations: [{ ...userOrder, pk: 'USER#1' }] },
    ],
    ['nowhere, if the message names them', orderOnUserOrder, anOrder(), { copies: [] }, { locations: [] }],
    ['nowhere, if it is of another kind', orderOnUserOrder, anOrder({ Kind: 'x' }), {}, { locations: [] }],
    ['also if the rule does not apply to it', valid, anOrder(annulled), {}, { locations: [userOrder] }],
    [
      'nowhere, if the rule does not apply and it does not say',
      valid,
      anOrder({ ...annulled, ...lacking }),
      {},
      { locations: [] },
    ],
  ])('%s', async (_, rule, root, more, expected) => {
    const { copies, message } = copiesBy(rule, [root]);

    expect(await copies.locate({ ...message, ...more })).toMatchObject(expected);
  });

  test.each<[string, readonly Item[], Message['cause']]>([
    ['it lacks what says where', [anOrder(lacking)], 'changed'],
    ['it is gone, and its record could not say where', [], 'deleted'],
    ['it has expired, and its record could not say where', [], 'expired'],
  ])('or it is invalid: %s', async (_, items, cause) => {
    const { copies, message } = copiesBy(orderOnUserOrder, items);

    await expect(copies.locate({ ...message, root: keyIn(anOrder()), cause })).rejects.toMatchObject({
      ...{ name: 'InvalidItemError', concerns: 'root', key: keyIn(anOrder()) },
    });
  });

  test('not if it is gone, and nothing says that it was removed', async () => {
    const { copies, message } = copiesBy(orderOnUserOrder, []);

    expect(await copies.locate({ ...message, cause: 'repair' })).toMatchObject({ locations: [] });
  });
});

describe('the plan of a page', () => {
  const read = { copies: [keyed(table, aUserOrder({ Status: 'old' }))], missing: [] };

  test('reads the root each time: it may have changed since the last round', async () => {
    const { copies, message, worker } = copiesBy(orderOnUserOrder, [anOrder()]);
    const statusOf = async () => {
      const [plan] = await copies.plan(message, read);
      return plan?.is === 'update' ? plan.write.set['Status'] : plan?.is;
    };

    expect(await statusOf()).toEqual({ S: 'PAID' });
    worker.table.put(anOrder({ Status: 'USED' }));
    expect(await statusOf()).toEqual({ S: 'USED' });
  });

  test('of an item that is its own copy reads it once', async () => {
    const own = anOrder({ Status: 'USED' });
    const { copies, message, worker } = copiesBy(orderStateKeys, [own]);

    const [plan] = await copies.plan(message, { copies: [keyed(table, own)], missing: [] });

    expect(plan).toMatchObject({ is: 'update', write: { set: { StatePart: { S: 'STATUS#USED' } } } });
    expect(spent(worker)).toEqual({});
  });
});

test('of entries of an index, only the copies of those that differ are read', async () => {
  const right = [aMembership('s'), aMembership('t')];
  const wrong = aMembership('u', { Name: 'stale' });
  const { copies, message, worker } = copiesBy(usernameOnMemberships, [aUser(), ...right, wrong]);
  const entries = [...right, wrong].map((one) => keyed(table, one));
  const page = { copies: entries, missing: [], size: 3, following: undefined };

  expect((await copies.pending(message, { ...page, stale: true })).copies).toEqual([keyed(table, wrong)]);
  expect(spent(worker)).toMatchObject({ itemsRead: 2 });
  expect((await copies.pending(message, page)).copies).toEqual(entries);
  expect(spent(worker)).toEqual({});
});

test('a page without copies is planned if the root lists keys, which may be too many', () => {
  const { copies, message } = copiesBy(titleOnTags, []);

  expect(copies.plansEmpty(message)).toBe(true);
  expect(copies.plansEmpty({ ...message, copies: [] })).toBe(false);
  expect(copiesBy(orderOnUserOrder, []).copies.plansEmpty(message)).toBe(false);
});
