import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import type { GuardedUpdate } from '../../../../src/model/guarded-write.ts';
import { statements } from '../../../../src/worker/adapters/dynamodb/guarded-expressions.ts';
import { access, updateOf } from './table-fixture.ts';

const a: AttributeValue = { S: 'a' };
const n: AttributeValue = { N: '1' };
const statementOf = (change: Partial<GuardedUpdate>, worded = statements(access)) =>
  worded(updateOf({ pk: 'p', sk: 's' }, { set: { x: a }, ...change }));

test('is worded as if it were the first, whatever names were set, removed or compared before', () => {
  const worded = statements(access);
  const order = ['u', 'v', 'w', 'x', 'y', 'z'];
  const cuts = [1, 2, 3].flatMap((first) =>
    [first + 1, first + 2].flatMap((b) => [b + 1, b + 2].map((c) => [first, b, c] as const)),
  );
  for (const [first, second, third] of cuts) {
    const valued = (some: readonly string[]) => Object.fromEntries(some.map((name) => [name, a]));
    const absent = Object.fromEntries(order.slice(third).map((name) => [name, undefined]));
    const change = {
      set: valued(order.slice(0, first)),
      remove: order.slice(first, second),
      expect: { ...valued(order.slice(second, third)), ...absent },
    };

    expect(statementOf(change, worded)).toEqual(statementOf(change));
  }
  expect(statementOf({ expect: { x: a, w: undefined } }, worded)?.Statement).toMatch(
    /"x"=\? AND "w" IS MISSING$/,
  );
  expect(statementOf({ expect: { x: undefined, w: n } }, worded)?.Statement).toMatch(
    /"w"=\? AND "x" IS MISSING$/,
  );
});

test('is not created if it would be longer than DynamoDB allows', () => {
  const expecting = (length: number) => statementOf({ expect: { ['m'.repeat(length)]: undefined } });
  const room = 8192 - (expecting(8000)?.Statement?.length ?? 0);

  expect(expecting(8000 + room)?.Statement).toHaveLength(8192);
  expect(expecting(8000 + room + 1)).toBeUndefined();
});
