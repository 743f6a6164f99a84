import { expect, test } from 'vitest';
import { expiryOf, isExpired, isTooOld } from '../../../src/model/items/expiry.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { table } from '../../fixtures/model/table.ts';

test.each<[string, Item, number | undefined]>([
  ['in whole seconds', { EndsAt: { N: '1768471200' } }, 1_768_471_200],
  ['that is 0', { EndsAt: { N: '0' } }, 0],
  ['but not as text', { EndsAt: { S: '1768471200' } }, undefined],
  ['but not as NULL', { EndsAt: { NULL: true } }, undefined],
  ['but not in another attribute', { Expires: { N: '1768471200' } }, undefined],
])('an item has an expiry %s', (_, item, expiry) => {
  expect(expiryOf(table, item)).toBe(expiry);
});

const at = 1_800_000_000;
const fiveYears = 5 * 365.25 * 86_400;

test.each([
  ['not before its second', at + 1, false, false],
  ['from its second on', at, true, false],
  ['that expired less than five years ago', at - fiveYears + 1, true, false],
  ['not one that expired five years ago, as an expiry of 0 did', at - fiveYears, false, true],
])('DynamoDB deletes an item %s', (_, expiry, deletes, leaves) => {
  expect([isExpired(expiry, at), isTooOld(expiry, at)]).toEqual([deletes, leaves]);
});
