import { expect, test } from 'vitest';
import { pulledIndexes } from '../../src/pull/index-keys.ts';
import { chat, incidents, shop } from '../fixtures/pull/applications.ts';
import { kindsOf, pulledTable } from '../fixtures/pull/pulled.ts';

const keysOf = (name: string, ...given: Parameters<typeof kindsOf>) => {
  const kind = kindsOf(...given).find((one) => one.name === name);
  return (
    kind && pulledIndexes(pulledTable, kind).map(({ pk, sk }) => [...pk, ...sk].map(({ pattern }) => pattern))
  );
};

test('index keys are made of ids and attributes that equal their pieces', () => {
  expect(keysOf('Membership', chat(), 'Type')).toEqual([['USER#{user}', 'SERVER#{server}']]);
  expect(keysOf('Order', shop(), 'Type')).toEqual([['USER#{UserId}', 'ORDER#{CreatedAt}']]);
});

test('an index key has no pattern if a piece equals nothing', () => {
  expect(keysOf('Incpart', incidents())).toEqual([['acct_{acct}#{participant}#incpart', undefined]]);
});

test('a single item does not show what its index keys are made of', () => {
  expect(keysOf('Order', shop().slice(4, 5), 'Type')).toEqual([[undefined, undefined]]);
});

test('an item without index keys must lack what they are made of', () => {
  const order = (n: number, more: object) => ({ PK: `ORDER#${n}`, SK: 'ORDER', Type: 'Order', ...more });
  const listed = [1, 2, 3].map((n) =>
    order(n, { UserId: `u${n}`, GSI1PK: `USER#u${n}`, GSI1SK: `ORDER#${n}` }),
  );

  expect(keysOf('Order', [...listed, order(4, {})], 'Type')).toEqual([['USER#{UserId}', 'ORDER#{order}']]);
  expect(keysOf('Order', [...listed, order(4, { UserId: 'u4' })], 'Type')).toEqual([[undefined, undefined]]);
});
