import { expect, test } from 'vitest';
import { checkArchives } from '../../src/check/check-archives.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { agingRule, boundKind } from '../fixtures/model/bound.ts';
import { agingRules, ordersAge } from '../fixtures/world/aging.ts';
import { orderItem } from '../fixtures/world/kinds.ts';
import { worldRules } from '../fixtures/world/rules.ts';
import { registryOf } from '../fixtures/world/world.ts';

const rule = agingRule(ordersAge);

function findings(change: Partial<typeof rule.ages>) {
  const broken = { ...rule, ages: { ...rule.ages, ...change } };
  return checkArchives(registryOf(...worldRules, broken)).map(({ message }) => message);
}

test('aging that is right has no findings', () => {
  expect(checkArchives(registryOf(...agingRules))).toEqual([]);
  expect(checkArchives(loadRules())).toEqual([]);
});

test.each<[string, Partial<typeof rule.ages>, string]>([
  [
    'when',
    { when: async () => true } as never,
    'Expected when of rule archive-orders to return true or false, got a Promise: correct the function',
  ],
  [
    'since',
    { when: () => false, since: () => new Date(0) as never },
    'Expected since of rule archive-orders to return a number, got a Date: correct the function',
  ],
  [
    'until',
    { found: { ...rule.ages.found, until: () => 7 } as never },
    'Expected found.until of rule archive-orders to return text, got a number: correct the function',
  ],
  [
    'the place of companions',
    {
      with: [
        { kind: boundKind(orderItem), at: () => ({ in: 'partition', pk: 'ORDER#1', begins: 'ITEMS#' }) },
      ],
    },
    "Expected with.at for OrderItem of rule archive-orders to return a begins with which a sort key of OrderItem begins, got 'ITEMS#' for an example: keys of OrderItem are 'ORDER#{order}' and 'ITEM#{orderItem}'",
  ],
])('%s that is wrong is found, whatever the example', (_, change, says) => {
  expect(findings(change)).toEqual([`${says}. If Order has other values, give it examples`]);
});

test('each companion is tried, also two of one kind, and at two times', () => {
  const at = (pk: () => string) => ({
    kind: boundKind(orderItem),
    at: () => ({ in: 'partition', pk: pk() }) as const,
  });
  const right = at(() => 'ORDER#1');

  expect(findings({ with: [at(() => 'ITEM#1'), right] })).toEqual([
    expect.stringContaining("to return a partition of OrderItem, got 'ITEM#1' for an example"),
  ]);
  expect(findings({ with: [right, at(() => `ORDER#${Date.now()}`)] })).toEqual([
    expect.stringContaining(
      'with.at for OrderItem of rule archive-orders gives two results for the same items',
    ),
  ]);
});

test('each predicate that is wrong is found, though it is not the first of its kind', () => {
  const [kind = orderItem] = rule.kinds;
  const reading = (name: string) => ({
    kind,
    reads: [],
    item: (item: Record<string, unknown>) => Boolean(item[name]),
  });
  const broken = { ...rule, when: [reading('First'), reading('Second')] };

  expect(checkArchives(registryOf(...worldRules, broken)).map(({ message }) => message)).toEqual([
    expect.stringContaining("'First'"),
    expect.stringContaining("'Second'"),
  ]);
});
