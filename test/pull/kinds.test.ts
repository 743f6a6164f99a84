import { describe, expect, test } from 'vitest';
import { chat, incidents, shop, votes } from '../fixtures/pull/applications.ts';
import { kindsOf } from '../fixtures/pull/pulled.ts';

const patterns = (...given: Parameters<typeof kindsOf>) =>
  kindsOf(...given).map(({ name, pk, sk }) => [name, pk.pattern, sk.pattern]);

describe('a kind', () => {
  test('has the pattern of its keys, with ids called after what equals them, or the word before', () => {
    expect(patterns(chat(), 'Type')).toEqual([
      ['Membership', 'SERVER#{server}', 'USER#{user}'],
      ['User', 'USER#{user}', '#METADATA'],
      ['Server', 'SERVER#{server}', '#METADATA'],
    ]);
    expect(patterns(shop(), 'Type')).toContainEqual(['OrderItem', 'ORDER#{order}', 'ITEM#{product}']);
    expect(patterns(votes(), 'Type')).toContainEqual(['Contender', 'CONTENDER#{contender}', 'metadata']);
  });

  test('without a type is called after the words of its keys', () => {
    expect(patterns(incidents())).toEqual([
      ['Incpart', 'acct_{acct}#inc_{inc}#incpart', '{participant}'],
      ['Inc', 'acct_{acct}#inc', 'inc_{inc}'],
      ['IncData', 'acct_{account}#inc_{incident}', 'data'],
    ]);
  });

  test('has ids where a single item has words, unless they are in capitals', () => {
    expect(patterns([{ PK: 'TEAM#1', SK: 'ada#notes', name: 'x' }])).toEqual([
      ['Team', 'TEAM#{team}', '{team2}#{team3}'],
    ]);
  });

  test('has the exact value of an attribute rather than one in lower case', () => {
    const rows = ['Ada', 'Bob', 'Cid'].map((name) => ({
      ...{ PK: `USER#${name.toLowerCase()}`, SK: 'USER', name, slug: name.toLowerCase() },
    }));
    const [exact] = kindsOf(rows);
    const [lower] = kindsOf(rows.map(({ slug: _, ...row }) => row));

    expect([...(exact?.ofIds ?? [])]).toEqual(['slug']);
    expect(exact?.notes).toEqual([]);
    expect([...(lower?.ofIds ?? [])]).toEqual(['name']);
    expect(lower?.notes).toEqual(['Ids in pk are in lower case: `name` is not.']);
  });

  test('has one id for both parts if they are always equal', () => {
    const rows = ['1', '2', '3'].map((n) => ({ PK: `USER#${n}`, SK: `PROFILE#${n}` }));

    expect(patterns(rows)).toEqual([['Profile', 'USER#{user}', 'PROFILE#{user}']]);
  });

  test('has one id for a whole key that no pattern of its pieces reads back', () => {
    const rows = ['1', '2'].map((n) => ({ PK: `LOG#09:3${n}:x`, SK: 'ROW' }));

    expect(patterns(rows)).toEqual([['X', '{pk}', 'ROW']]);
  });
});
