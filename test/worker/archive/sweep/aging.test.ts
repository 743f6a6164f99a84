import { describe, expect, test } from 'vitest';
import type { Item } from '../../../../src/model/item.ts';
import {
  type AgingRule,
  agedBefore,
  classifyAge,
  expiryFrom,
  expiryOf,
  planExpiry,
} from '../../../../src/worker/archive/sweep/aging.ts';
import { guardWhole } from '../../../../src/worker/propagation/plan/guard.ts';
import { aUsedTicket, ticketsAge } from '../../../fixtures/cruises/cruise-aging.ts';
import { leg } from '../../../fixtures/cruises/cruise-kinds.ts';
import { item } from '../../../fixtures/model/items.ts';
import { table } from '../../../fixtures/model/table.ts';
import { agingRule } from '../../../fixtures/rules/aging-rule.ts';

const rule = agingRule(ticketsAge);
const now = Date.UTC(2026, 0, 1);

describe('the classification of an age', () => {
  test('reports a function that throws, without its error', () => {
    const faulty = agingRule({
      ...rule,
      ages: {
        ...rule.ages,
        when: () => {
          throw new TypeError('of a secret');
        },
      },
    });

    const verdict = classifyAge(table, faulty, aUsedTicket(), now);

    expect(verdict).toMatchObject({ is: 'unclassified', code: 'rule.threw' });
    expect(JSON.stringify(verdict)).not.toContain('secret');
  });

  test.each<[string, Partial<AgingRule['ages']>, string]>([
    [
      'when returns a Promise',
      { when: (async () => false) as never },
      'when of rule archive-tickets to return a boolean, got a Promise',
    ],
    [
      'when returns nothing',
      { when: () => undefined as never },
      'when of rule archive-tickets to return a boolean, got undefined',
    ],
    [
      'since returns a Date',
      { since: () => new Date(0) as never },
      'since of rule archive-tickets to return a number, got a Date',
    ],
    [
      'a companion has no location',
      { with: [{ kind: leg, at: () => ({ in: 'key', pk: 'p' }) as never }] },
      'with.at for Leg of rule archive-tickets to return { pk, sk }, all text, got an object whose sk is undefined',
    ],
  ])('reports it with the function if %s', (_, faulty, reason) => {
    const verdict = classifyAge(table, { ...rule, ages: { ...rule.ages, ...faulty } }, aUsedTicket(), now);

    expect(verdict).toEqual({
      is: 'unclassified',
      code: 'rule.returned',
      reason: `Expected ${reason}: correct the function`,
    });
  });

  test('reports companions at a key that DynamoDB rejects', () => {
    const ages = { ...rule.ages, with: [{ kind: leg, at: () => ({ in: 'partition', pk: '' }) as const }] };

    expect(classifyAge(table, { ...rule, ages }, aUsedTicket(), now)).toMatchObject({
      is: 'unclassified',
      code: 'root.unlocatable',
    });
  });

  test('reports its expectation if there is no valid time', () => {
    const undated = agingRule({ ...rule, ages: { ...rule.ages, since: () => Number.NaN } });

    expect(classifyAge(table, undated, aUsedTicket(), now)).toEqual({
      is: 'unclassified',
      code: 'root.undated',
      reason: `Expected since of rule ${rule.name} to return a time in milliseconds for this Ticket, got NaN: correct its ${rule.ages.reads.join(' or ')}`,
    });
    expect(rule.ages.reads.length).toBeGreaterThan(1);
  });

  test('reports a read that the rule does not declare', () => {
    const faulty = agingRule({ ...rule, ages: { ...rule.ages, reads: ['SoldAt'] } });

    expect(classifyAge(table, faulty, aUsedTicket(), now)).toMatchObject({
      is: 'unclassified',
      code: 'rule.undeclared-read',
    });
  });
});

describe('the moment for the query of an index', () => {
  test('is a day later than the moment since which an item has aged', () => {
    expect(agedBefore({ ...rule.ages, days: 30 }, now)).toEqual(new Date(Date.UTC(2025, 11, 3)));
  });
});

describe('the update that sets an expiry', () => {
  test('sets nothing else if there is no expiry and the item is as it was archived', () => {
    const { update, narrowed } = planExpiry(table, aUsedTicket(), rule.ages.reads, expiryFrom(now));

    expect(update).toEqual({
      key: { pk: 'TICKET#t', sk: 'TICKET' },
      set: { EndsAt: { N: String(Date.UTC(2026, 0, 8) / 1000) } },
      remove: [],
      expect: { ...aUsedTicket(), EndsAt: undefined },
    });
    expect(narrowed).toBe(false);
  });

  test('is in whole seconds', () => {
    expect(expiryFrom(now + 1999)).toEqual({ N: String(Date.UTC(2026, 0, 8) / 1000 + 1) });
  });
});

describe('an expiry', () => {
  test.each([
    [{}, undefined],
    [{ EndsAt: 5 }, 5],
    [{ EndsAt: 'soon' }, Number.NaN],
  ])('of %j is %s', (attributes, seconds) => {
    expect(expiryOf(table, item(attributes))).toBe(seconds);
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
