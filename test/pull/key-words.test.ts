import { expect, test } from 'vitest';
import {
  areAlike,
  camelCase,
  dividedInto,
  isIdName,
  pascalCase,
  shapeOf,
  uniqueName,
  withoutId,
} from '../../src/pull/key-words.ts';

test.each([
  ['ORDER#17', 'ORDER#…'],
  ['ORDER#METADATA', 'ORDER#METADATA'],
  ['user#ann', 'user#…'],
  ['USER#ann', 'USER#…'],
  ['acct_1eS#inc', 'acct_…#inc'],
  ['2026-01-17T09:30:00Z#a1', '…#…'],
  ['2026', '…'],
  ['ORDER-17', 'ORDER-…'],
  ['o-17', '…'],
  ['user#', 'user#'],
  ['#METADATA', '#METADATA'],
  ['$blog#authorid_ada', '$blog#authorid_…'],
  ['$post_1#postid_p_7', '$post_1#postid_…'],
])('the shape of a key has its words, and digits are never among them: %s', (part, shape) => {
  expect(shapeOf(part).join('')).toBe(shape);
});

test('a key is divided at its marks, and its last piece has the rest', () => {
  expect(dividedInto(3, 'DOC#a#b/c')).toEqual(['DOC', '#', 'a#b/c']);
  expect(dividedInto(5, 'DOC#a')).toEqual(['DOC', '#', 'a']);
});

test('a name of an id is known by its end', () => {
  expect(['authorId', 'AUTHOR_ID', 'ID', 'paid', 'GRID'].map(withoutId)).toEqual([
    ...['author', 'AUTHOR', 'ID', 'paid', 'GRID'],
  ]);
  expect(['authorId', 'id', 'paid'].map(isIdName)).toEqual([true, true, false]);
});

test('names are alike if one ends with the other, whatever their case and signs', () => {
  expect(areAlike('authorName', 'Name')).toBe(true);
  expect(areAlike('AUTHOR_ID', 'authorId')).toBe(true);
  expect(areAlike('names', 'name')).toBe(false);
});

test('words become names of code, each once', () => {
  expect(['HEAD_TO_HEAD', 'head-to-head', 'HeadToHead'].map(camelCase)).toEqual(Array(3).fill('headToHead'));
  expect([pascalCase('order item'), pascalCase('3d')]).toEqual(['OrderItem', 'N3D']);
  const taken = new Set(['id']);
  expect([uniqueName('id', taken), uniqueName('id', taken), uniqueName('a', taken)]).toEqual([
    'id2',
    'id3',
    'a',
  ]);
});
