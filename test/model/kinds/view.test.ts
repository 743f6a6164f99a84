import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { viewOf } from '../../../src/model/kinds/view.ts';
import { boundKind } from '../../fixtures/model/bound.ts';
import { item } from '../../fixtures/model/items.ts';
import { refusal } from '../../suites/refusal.ts';

const parcel = defineKind({
  name: 'Parcel',
  type: 'Parcel',
  pk: 'DEPOT#{depot}',
  sk: 'PARCEL#{parcel}',
  attributes: z.object({ Weight: z.number(), Label: z.string().min(1), Notes: z.string().optional() }),
});

const asked = { rule: 'a-rule', role: 'root', reads: ['Weight', 'Label', 'Notes'] } as const;

describe('the view of an item', () => {
  test('does not let a function change the ids, which all copies of a page share', () => {
    const view = viewOf(boundKind(parcel), stored({ Weight: 1.5 }), asked);

    expect(() => Object.assign(view.ids, { depot: 'other' })).toThrow(TypeError);
    expect(view.ids).toEqual({ depot: 'd', parcel: 'p' });
  });

  test('does not let a function change a list for the next one that reads it', () => {
    const kind = defineKind({
      ...{ name: 'Box', pk: 'DEPOT#{depot}', sk: 'PARCEL#{parcel}' },
      attributes: z.object({ Tags: z.array(z.string()) }),
    });
    const box = { ...stored({}), Tags: { L: [{ S: 'a' }] } };
    const view = viewOf(boundKind(kind), box, { rule: 'a-rule', role: 'root', reads: ['Tags'] });

    Object.assign(Object(view.Tags), { 0: 'b' });

    expect(view.Tags).toEqual(['a']);
  });

  test.each([
    ['is missing', undefined, 'found none'],
    ['is of another type', 'heavy', 'found one of type S'],
  ])('refuses an attribute that %s, and names it without its content', (_, weight, found) => {
    const error = refusal(() => viewOf(boundKind(parcel), stored({ Weight: weight }), asked).Weight);

    expect(error).toMatchObject({
      name: 'InvalidItemError',
      code: 'root.invalid',
      rule: 'a-rule',
      key: { pk: 'DEPOT#d', sk: 'PARCEL#p' },
    });
    expect(error.message).toBe(`Expected attribute 'Weight' of Parcel to be number, ${found}`);
  });

  test('refuses a whole number that a JavaScript number would round', () => {
    const huge = { ...stored({}), Weight: { N: '12345678901234567890123456789012345678' } };
    const error = refusal(() => viewOf(boundKind(parcel), huge, { ...asked, role: 'copy' }).Weight);

    expect(error).toMatchObject({ code: 'copy.invalid' });
    expect(error.message).toBe(
      "Expected attribute 'Weight' of Parcel to be number, found a number with more digits than JavaScript holds exactly",
    );
  });

  test('has the nearest number to a fraction, and never that of a whole number', () => {
    const amount = (schema: z.ZodType, N: string) => {
      const kind = { ...parcel, attributes: z.object({ Weight: schema }) };
      const of = { ...stored({}), Weight: { L: [{ N }] } };
      return viewOf(boundKind(kind), of, asked)['Weight'];
    };

    expect(amount(z.array(z.number()), '10.9999999999999999')).toEqual([11]);
    expect(amount(z.array(z.number().or(z.string())), '10.9999999999999999')).toEqual([
      '10.9999999999999999',
    ]);
    expect(() => amount(z.array(z.number()), '9007199254740993.0')).toThrow('Expected attribute');
    expect(() => amount(z.array(z.number().max(1)), '10.9999999999999999')).toThrow(
      "Expected attribute 'Weight' of Parcel to be a value that its schema accepts, found another of type L",
    );
  });

  test('refuses what the schema does not accept, without its content', () => {
    const error = refusal(() => viewOf(boundKind(parcel), stored({ Label: '' }), asked).Label);

    expect(error.message).toBe(
      "Expected attribute 'Label' of Parcel to be a value that its schema accepts, found another of type S and length 0 (Too small: expected string to have >=1 characters)",
    );
  });

  test('can be logged, listed and returned from an asynchronous function', async () => {
    const view = viewOf(boundKind(parcel), stored({ Weight: 1, Label: 'x' }), asked);

    expect(inspect(view.ids)).toContain('d');
    expect(JSON.parse(JSON.stringify(view.ids))).toEqual({ depot: 'd', parcel: 'p' });
    expect(await Promise.resolve(view.ids)).toBe(view.ids);
    expect('Colour' in view).toBe(false);
  });

  test('refuses an attribute that the rule does not declare, and says what to do', () => {
    const error = refusal(
      () => viewOf(boundKind(parcel), stored({ Weight: 1 }), { ...asked, reads: ['Label'] }).Weight,
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
