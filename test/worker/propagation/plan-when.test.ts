import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rules/rule.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { ByState } from '../../fixtures/model/table.ts';
import { anOrder, aUserOrder } from '../../fixtures/world/items.ts';
import { order } from '../../fixtures/world/kinds.ts';
import { orderThatIsValid } from '../../fixtures/world/rules.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const copyKey = keyIn(aUserOrder());
const rootKey = keyIn(anOrder());
const annulled = anOrder({ Status: 'ANNULLED' });
const unlocating = anOrder({ Status: 'ANNULLED', UserId: undefined });
const cheaper = anOrder({ Total: 9 });

function withRule(items: readonly Item[], rule: Rule): ModelWorker {
  return workerOver(items, {}, rule);
}

function over(items: readonly Item[], onDelete: RemovalPolicy, onExpire?: RemovalPolicy): ModelWorker {
  return withRule(items, orderThatIsValid(onDelete, onExpire));
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

describe('a root for which when turns false', () => {
  test.each([
    ['says where its copies were', annulled],
    ['does not', unlocating],
  ])('and that is deleted meanwhile leaves what onDelete says, if it %s', async (_, root) => {
    const worker = over([anOrder(), aUserOrder()], 'delete');
    worker.table.put(root);
    worker.table.delete(rootKey);

    await worker.rest(1);

    expect([worker.table.read(copyKey), worker.queue.deadLettered]).toEqual([undefined, []]);
  });

  test.each([
    ['leaves none of the copies that were never looked at', [annulled, aUserOrder()]],
    ['needs no dead letter, although nothing says where its copies were', [unlocating]],
  ])('and that is deleted %s', async (_, items) => {
    const worker = over(items, 'delete');
    worker.table.delete(rootKey);

    await worker.rest();

    expect([worker.table.items(), worker.queue.deadLettered]).toEqual([[], []]);
  });
});

test.each([
  ['clear', undefined],
  ['keep', 'STATUS#PAID'],
] as const)(
  'an item that is its own copy and is excluded is as onDelete says: %s',
  async (onDelete, StatePart) => {
    const keyed = (Status: string, key?: string) => anOrder({ Status, StatePart: key, StateSort: undefined });
    const rule = defineRule({
      ...{ name: 'order-state-keys', root: order, copy: order, reads: { root: ['Status'] } },
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
  const undeclared = { root: ['UserId', 'CreatedAt'], copy: ['OrderId'] };

  test.each<[string, Partial<Rule>, string]>([
    ['throws', { when: { root: throws } }, 'rule.threw'],
    ['returns a Promise', { when: { root: () => Promise.resolve(true) as never } }, 'rule.returned'],
    ['reads what reads does not declare', { reads: undeclared }, 'rule.undeclared-read'],
  ])('because it %s, dead-letters the root and changes nothing', async (_, broken, code) => {
    const worker = withRule([anOrder(), aUserOrder()], { ...orderThatIsValid('delete'), ...broken });
    worker.table.put(annulled);
    worker.table.put(cheaper);

    await worker.rest();

    const reason = expect.stringMatching(/when\.root of rule|without declaring/);
    expect(worker.queue.deadLettered).toMatchObject([{ code, reason, message: { root: rootKey } }]);
    expect(worker.table.read(copyKey)).toEqual(aUserOrder());
  });
});
