import { describe, expect, test } from 'vitest';
import { clustersOf, piecesBy, typeAttributeOf } from '../../src/pull/clusters.ts';
import { chat, incidents, tenants } from '../fixtures/pull/applications.ts';
import { asKeyed, pulledTable } from '../fixtures/pull/pulled.ts';

const typeOf = (items: Parameters<typeof asKeyed>[0]) => typeAttributeOf(pulledTable, asKeyed(items));
const shapes = (items: Parameters<typeof asKeyed>[0], type?: string) =>
  clustersOf(pulledTable, asKeyed(items), type).map(({ pk, sk, items }) => [
    ...[pk.join(''), sk.join('')],
    items.length,
  ]);

describe('the type attribute', () => {
  test('is one that libraries write, whatever else there is', () => {
    expect(typeOf(chat().map((item) => ({ ...item, __edb_e__: 'x' })))).toBe('__edb_e__');
    expect(typeOf(chat())).toBe('Type');
  });

  test('is any whose value decides the shape of the key, and no other', () => {
    expect(typeOf(chat().map(({ Type, ...item }) => ({ ...item, sort: Type })))).toBe('sort');
    expect(typeOf(incidents())).toBeUndefined();
    expect(typeOf(tenants())).toBeUndefined();
  });

  test('is not one that few items have', () => {
    expect(
      typeOf(chat().map(({ Type, ...item }, at) => (at % 3 ? item : { ...item, Type }))),
    ).toBeUndefined();
  });
});

describe('items without a type', () => {
  test('are of one kind if their keys have one shape', () => {
    expect(shapes(incidents())).toEqual([
      ['acct_…#inc_…#incpart', '…', 12],
      ['acct_…#inc', 'inc_…', 6],
      ['acct_…#inc_…', 'data', 6],
    ]);
  });

  test('are of one kind if one word differs and they have the same attributes: it is a value', () => {
    const of = (tenant: string, sort: string, more: object) => ({ PK: `${tenant}#APP#1`, SK: sort, ...more });
    const rows = ['acme', 'globex', 'initech'].flatMap((tenant) => [
      of(tenant, 'PROJECT#p1', { title: 'a', owner: 'b' }),
      of(tenant, 'TASK#t1', { done: true, hours: 1 }),
    ]);

    expect(shapes(rows)).toEqual([
      ['…#APP#…', 'PROJECT#…', 3],
      ['…#APP#…', 'TASK#…', 3],
    ]);
  });
});

test('keys of nothing but words that few items have are of one kind', () => {
  const words = ['ann', 'bob', 'cid', 'dan', 'eve'];
  const rows = words.map((word, n) => ({
    PK: `${word}#${words[4 - n]}`,
    SK: words[(n * 2) % 5] ?? '',
    n,
    at: n,
  }));

  expect(shapes(rows)).toEqual([['…#…', '…', 5]]);
});

test('items of a type are of one kind, however many pieces their last id has', () => {
  const docs = ['a', 'a#b', 'a#b#c'].map((path, n) => ({
    PK: `DOC#${n}1`,
    SK: `PATH#${path}1`,
    Type: 'Doc',
    n,
  }));

  expect(shapes(docs, 'Type')).toEqual([['DOC#…', 'PATH#…', 3]]);
});

test('a key is divided by the shape of its kind, or is none of it', () => {
  expect(piecesBy(['DOC', '#', '…'], 'DOC#a#b')).toEqual(['DOC', '#', 'a#b']);
  expect(piecesBy(['acct_…', '#', 'inc'], 'acct_7#inc')).toEqual(['acct_7', '#', 'inc']);
  expect(piecesBy(['DOC', '#', '…'], 'doc#a')).toBeUndefined();
  expect(piecesBy(['acct_…'], 'acct_')).toBeUndefined();
});
