import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineKind, isOfKind, viewOf } from '../../src/model/kind.ts';
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

const asked = { rule: 'a-rule', role: 'root', reads: ['Weight', 'Label', 'Notes'] } as const;

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
    expect(isOfKind(table, parcel, item(key))).toBe(true);
    expect(isOfKind(table, untyped, item({ Part: 'DEPOT#d', Sort: 'd' }))).toBe(true);
  });

  test('by its key and its type, if the kind has one', () => {
    expect(isOfKind(table, parcel, item({ ...key, Kind: 'Parcel' }))).toBe(true);
    expect(isOfKind(table, parcel, item({ ...key, Kind: 'Truck' }))).toBe(false);
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

describe('the view of an item', () => {
  test('has its typed attributes and the ids of its key', () => {
    const view = viewOf(table, parcel, stored({ Weight: 1.5, Label: 'fragile' }), asked);

    expect(view.Weight).toBe(1.5);
    expect(view.Label).toBe('fragile');
    expect(view.Notes).toBeUndefined();
    expect(view.ids).toEqual({ depot: 'd', parcel: 'p' });
  });

  test('does not validate attributes that are not read', () => {
    const view = viewOf(table, parcel, stored({ Label: 'fragile' }), asked);

    expect(view.Label).toBe('fragile');
    expect(() => view.Weight).toThrow();
  });

  test.each([
    ['is missing', undefined, 'found none'],
    ['is of another type', 'heavy', 'found one of type S'],
  ])('refuses an attribute that %s, and names it without its content', (_, weight, found) => {
    const error = refusal(() => viewOf(table, parcel, stored({ Weight: weight }), asked).Weight);

    expect(error).toMatchObject({
      name: 'InvalidItemError',
      code: 'root.invalid',
      rule: 'a-rule',
      key: { pk: 'DEPOT#d', sk: 'PARCEL#p' },
    });
    expect(error.message).toBe(`Expected attribute 'Weight' of Parcel to be number, ${found}`);
  });

  test('refuses a number that a JavaScript number would round', () => {
    const huge = { ...stored({}), Weight: { N: '12345678901234567890123456789012345678' } };
    const error = refusal(() => viewOf(table, parcel, huge, { ...asked, role: 'copy' }).Weight);

    expect(error).toMatchObject({ code: 'copy.invalid' });
    expect(error.message).toBe(
      "Expected attribute 'Weight' of Parcel to be number, found a number with more digits than JavaScript holds exactly",
    );
  });

  test('refuses what the schema does not accept, without its content', () => {
    const error = refusal(() => viewOf(table, parcel, stored({ Label: '' }), asked).Label);

    expect(error.message).toBe(
      "Expected attribute 'Label' of Parcel to be a value that its schema accepts, found another of type S",
    );
  });

  test('refuses an attribute that the rule does not declare, and names the rule and the correction', () => {
    const error = refusal(
      () => viewOf(table, parcel, stored({ Weight: 1 }), { ...asked, reads: ['Label'] }).Weight,
    );

    expect(error).toMatchObject({ code: 'rule.undeclared-read', rule: 'a-rule' });
    expect(error.message).toBe(
      "Rule a-rule reads 'Weight' of its root without declaring it: add it to reads.root",
    );
  });
});

function stored(attributes: { readonly [name: string]: string | number | undefined }) {
  return item({ Part: 'DEPOT#d', Sort: 'PARCEL#p', ...attributes });
}
