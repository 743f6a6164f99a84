import { expect, test } from 'vitest';
import { askedRoots } from '../../src/pull/asked-roots.ts';
import { asKeyed, pulledTable } from '../fixtures/pull/pulled.ts';

const numbers = [1, 2, 3];
const user = (n: number) => ({ PK: `USER#${n}`, SK: 'USER', Type: 'User', name: `Name ${n}` });
const post = (n: number, more: object) => ({
  PK: `POST#p${n}`,
  SK: 'POST',
  Type: 'Post',
  title: `T${n}`,
  ...more,
});

function asked(...items: readonly { PK: string; SK: string }[]) {
  const { keys, copies } = askedRoots(pulledTable, asKeyed(items), 'Type');
  return { keys: keys.map(({ pk }) => pk), copies: copies.size };
}

test('roots that a sample lacks are asked for, by what ids and attributes are called', () => {
  const users = numbers.map(user);

  expect(asked(...users, ...numbers.map((n) => post(n, { userId: `1${n}` })))).toEqual({
    keys: ['USER#11', 'USER#12', 'USER#13'],
    copies: 6,
  });
  expect(asked(...users, post(1, { by: 'USER#8' })).keys).toEqual(['USER#8']);
});

test('roots that a sample has are not asked for, nor what nothing names', () => {
  const users = numbers.map(user);

  expect(asked(...users, ...numbers.map((n) => post(n, { userId: `${n}` }))).keys).toEqual([]);
  expect(asked(...users, ...numbers.map((n) => post(n, { color: `c${n}` }))).keys).toEqual([]);
});

test('of each kind, fifty items are asked for their roots', () => {
  const posts = Array.from({ length: 80 }, (_, n) => post(n, { userId: `1${n}` }));

  expect(asked(...numbers.map(user), ...posts)).toMatchObject({ copies: 53, keys: { length: 50 } });
});
