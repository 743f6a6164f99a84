import { expect, test } from 'vitest';
import { typeOf } from '../../src/model/type-of.ts';

test.each<[unknown, string]>([
  [undefined, 'undefined'],
  [null, 'null'],
  [Number.NaN, 'NaN'],
  ['a secret', 'text'],
  ['😀'.slice(0, 1), 'text with half a character'],
  [7, 'a number'],
  [true, 'a boolean'],
  [() => 0, 'a function'],
  [Promise.resolve(), 'a Promise'],
  [new Date(0), 'a Date'],
  [['a secret'], 'an array'],
  [{ a: 'secret' }, 'an object'],
])('a value is named by its type, never by its content', (value, type) => {
  expect(typeOf(value)).toBe(type);
});
