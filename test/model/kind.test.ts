import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineKind, isOfKind } from '../../src/model/kind.ts';
import { item } from '../fixtures/model/items.ts';
import { table } from '../fixtures/model/table.ts';
import { refusal } from '../suites/refusal.ts';

const parcel = defineKind({
  name: 'Parcel',
  type: 'Parcel',
  pk: 'DEPOT#{depot}',
  sk: 'PARCEL#{parcel}',
  attributes: z.object({ Weight: z.number(), Label: z.string().min(1), Notes: z.string().optional() }),
});

const untyped = defineKind({
  name: 'Depot',
  pk: 'DEPOT#{depot}',
  sk: '{depot}',
  attributes: z.object({ Name: z.string() }),
});

describe('a kind whose types nobody checked', () => {
  const right = { name: 'Parcel', pk: 'DEPOT#{depot}', sk: 'PARCEL', attributes: z.object({}) };
  const untyped = (change: object) => () => defineKind({ ...right, ...change });

  test.each<[string, object, string, string]>([
    [
      'a misspelt field',
      { tpye: 'Parcel' },
      'kind.unknown-field',
      "a field of kind Parcel, got 'tpye': did you mean 'type'?",
    ],
    [
      'no sort key',
      { sk: undefined },
      'kind.invalid-field',
      'sk of kind Parcel to be text, got none: add it',
    ],
    [
      'attributes without z.object',
      { attributes: { Weight: z.number() } },
      'kind.invalid-field',
      'attributes of kind Parcel to be z.object({ … }), got an object: correct it',
    ],
  ])('is refused with %s', (_, change, code, message) => {
    expect(refusal(untyped(change))).toMatchObject({ code, message: `Expected ${message}` });
  });
});

describe('a kind', () => {
  test('reads the ids of a key and writes it from them', () => {
    const key = parcel.key({ depot: 'd', parcel: 'p' });

    expect(key).toEqual({ pk: 'DEPOT#d', sk: 'PARCEL#p' });
    expect(parcel.idsOf(key)).toEqual({ depot: 'd', parcel: 'p' });
    expect(parcel.pk({ depot: 'd' })).toBe('DEPOT#d');
  });

  test('does not recognize a key whose two parts contain different values of an id', () => {
    expect(untyped.idsOf({ pk: 'DEPOT#d', sk: 'd' })).toEqual({ depot: 'd' });
    expect(untyped.idsOf({ pk: 'DEPOT#d', sk: 'e' })).toBeUndefined();
    const twice = defineKind({ name: 'Twice', pk: '{a}#{b}', sk: '{a}#{b}', attributes: z.object({}) });
    expect(twice.idsOf({ pk: 'a#b', sk: 'a#b' })).toEqual({ a: 'a', b: 'b' });
    expect(twice.idsOf({ pk: 'a#b', sk: 'a#c' })).toBeUndefined();
  });

  test('does not recognize a key if only one part matches', () => {
    expect(parcel.idsOf({ pk: 'DEPOT#d', sk: 'TRUCK#p' })).toBeUndefined();
    expect(parcel.idsOf({ pk: 'SHOP#d', sk: 'PARCEL#p' })).toBeUndefined();
  });

  test('is refused if an attribute would hide the ids of the key', () => {
    expect(() =>
      defineKind({ name: 'Odd', pk: '{a}', sk: 'b', attributes: z.object({ ids: z.string() }) }),
    ).toThrow(expect.objectContaining({ code: 'kind.ids', message: expect.stringContaining('Odd') }));
  });
});

describe('an item is of a kind', () => {
  const key = { Part: 'DEPOT#d', Sort: 'PARCEL#p' };

  test('by its key, if the kind has no type', () => {
    expect(isOfKind(table, untyped, item({ Part: 'DEPOT#d', Sort: 'd' }))).toBe(true);
  });

  test('by its key and its type, if the kind has one', () => {
    expect(isOfKind(table, parcel, item({ ...key, Kind: 'Parcel' }))).toBe(true);
    expect(isOfKind(table, parcel, item({ ...key, Kind: 'Truck' }))).toBe(false);
    expect(isOfKind(table, parcel, item(key))).toBe(false);
    expect(isOfKind(table, parcel, item({ ...key, Kind: 1 }))).toBe(false);
    expect(isOfKind(table, parcel, item({ Part: 'DEPOT#d', Sort: 'TRUCK#p', Kind: 'Parcel' }))).toBe(false);
  });

  test('whatever its type attribute is, if the kind has no type', () => {
    expect(isOfKind(table, untyped, item({ Part: 'DEPOT#d', Sort: 'd', Kind: 'Anything' }))).toBe(true);
  });

  test('in the table whose names it uses', () => {
    expect(isOfKind(table, parcel, item({ PK: 'DEPOT#d', SK: 'PARCEL#p' }))).toBe(false);
  });
});
