import { describe, expect, test } from 'vitest';
import { type Item, keyIn } from '../../../../src/model/items/item.ts';
import { guardWhole } from '../../../../src/plan/guard.ts';
import {
  type AgingRule,
  classifyAge,
  expiryFrom,
  planExpiry,
  untilOf,
} from '../../../../src/worker/archive/sweep/aging.ts';
import { agingRule, boundKind } from '../../../fixtures/model/bound.ts';
import { item } from '../../../fixtures/model/items.ts';
import { table } from '../../../fixtures/model/table.ts';
import { aUsedOrder, ordersAge } from '../../../fixtures/world/aging.ts';
import { orderItem } from '../../../fixtures/world/kinds.ts';

const rule = agingRule(ordersAge);
const now = Date.UTC(2026, 0, 1);

describe('an age that cannot be classified', () => {
  const reported = 'a time in milliseconds for this Order, got NaN: correct its Status or CreatedAt';
  test.each<[string, Partial<AgingRule['ages']>, string, string]>([
    ['when throws', { when: () => secret() }, 'rule.threw', 'when of rule archive-orders'],
    [
      'when returns a Promise',
      { when: (async () => false) as never },
      'rule.returned',
      'Expected when of rule archive-orders to return true or false, got a Promise: correct the function',
    ],
    ['when returns nothing', { when: () => undefined as never }, 'rule.returned', 'got undefined'],
    [
      'since returns a Date',
      { since: () => new Date(0) as never },
      'rule.returned',
      'Expected since of rule archive-orders to return a number, got a Date',
    ],
    ['since is no valid time', { since: () => Number.NaN }, 'root.undated', reported],
    [
      'a companion has no location',
      { with: [{ kind: boundKind(orderItem), at: () => ({ in: 'key', pk: 'p' }) as never }] },
      'rule.returned',
      'with.at for OrderItem of rule archive-orders',
    ],
    [
      'a companion is at a key that DynamoDB rejects',
      { with: [{ kind: boundKind(orderItem), at: () => ({ in: 'partition', pk: '' }) as const }] },
      'root.unlocatable',
      'DynamoDB',
    ],
    ['a read is not declared', { reads: ['CreatedAt'] }, 'rule.undeclared-read', 'Status'],
  ])('is reported with the function and the reason: %s', (_, faulty, code, reason) => {
    const verdict = classifyAge({ ...rule, ages: { ...rule.ages, ...faulty } }, aUsedOrder(), now);

    expect(verdict).toEqual({ is: 'unclassified', code, reason: expect.stringContaining(reason) });
    expect(JSON.stringify(verdict)).not.toContain('secret');
  });
});

function secret(): never {
  throw new TypeError('of a secret');
}

test('an index is asked a day later than the moment since which an item has aged', () => {
  const found = { ...rule.ages.found, in: 'index', until: (moment: Date) => moment.toISOString() } as never;

  expect(untilOf({ ...rule, ages: { ...rule.ages, days: 30, found } }, now)).toBe('2025-12-03T00:00:00.000Z');
});

test('an update sets an expiry in seconds if the item is as it was archived', () => {
  expect(
    planExpiry(table, keyIn(table, aUsedOrder()), aUsedOrder(), rule.ages.reads, expiryFrom(now + 1999)),
  ).toEqual({
    key: { pk: 'ORDER#t', sk: 'ORDER' },
    set: { EndsAt: { N: String(Date.UTC(2026, 0, 8) / 1000 + 1) } },
    remove: [],
    expect: { ...aUsedOrder(), EndsAt: undefined },
  });
});

describe('the guard of a whole item', () => {
  test('compares every attribute, and the attributes that must be missing', () => {
    const whole = item({ A: 1, B: 'x', constructor: 'y' });

    expect(guardWhole(whole, ['C'])).toEqual({ expect: { ...whole, C: undefined }, narrowed: false });
  });

  test.each([
    ['many attributes', many(300, 8)],
    ['long names', many(100, 60)],
  ])('compares as many as an expression can hold, and always the required ones: %s', (_, whole) => {
    const always = Object.keys(whole).slice(-3);
    const { expect: compared, narrowed } = guardWhole(whole, always);
    const names = Object.keys(compared);

    expect(narrowed).toBe(true);
    expect(names).toEqual(expect.arrayContaining(always));
    expect(names.length).toBeLessThanOrEqual(120);
    expect(names.join('').length).toBeLessThanOrEqual(2500);
    expect(names.length).toBeGreaterThan(35);
  });

  test('continues after an attribute that does not fit', () => {
    const whole = item({ ['x'.repeat(3000)]: 1, A: 1 });

    expect(guardWhole(whole, [])).toEqual({ expect: item({ A: 1 }), narrowed: true });
  });
});

function many(count: number, length: number): Item {
  return item(
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`${index}`.padStart(length, 'n'), index]),
    ),
  );
}
