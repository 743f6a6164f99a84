import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';

const untyped = defineKind({
  name: 'Depot',
  pk: 'DEPOT#{depot}',
  sk: '{depot}',
  attributes: z.object({ Name: z.string() }),
});

describe('a kind', () => {
  test('does not recognize a key whose two parts contain different values of an id', () => {
    expect(untyped.idsOf({ pk: 'DEPOT#d', sk: 'd' })).toEqual({ depot: 'd' });
    expect(untyped.idsOf({ pk: 'DEPOT#d', sk: 'e' })).toBeUndefined();
    const twice = defineKind({ name: 'Twice', pk: '{a}#{b}', sk: '{a}#{b}', attributes: z.object({}) });
    expect(twice.idsOf({ pk: 'a#b', sk: 'a#b' })).toEqual({ a: 'a', b: 'b' });
    expect(twice.idsOf({ pk: 'a#b', sk: 'a#c' })).toBeUndefined();
  });

  test('is refused if an attribute would hide the ids of the key', () => {
    expect(() =>
      defineKind({ name: 'Odd', pk: '{a}', sk: 'b', attributes: z.object({ ids: z.string() }) }),
    ).toThrow(expect.objectContaining({ code: 'kind.ids', message: expect.stringContaining('Odd') }));
  });

  test('has the schema that it was given, of zod or of zod/mini', () => {
    const { Name } = untyped.attributes.extend({ Size: z.number() }).shape;
    const small = defineKind({
      name: 'Small',
      pk: 'SMALL#{small}',
      sk: 'S',
      attributes: mini.object({ Name: mini.optional(mini.string()), At: mini._default(mini.int(), 1) }),
      keys: { GSI1: { pk: 'NAME#{Name}', sk: 'AT#{At}' } },
    });

    expect(Name).toBe(untyped.attributes.shape.Name);
    expect(mini.parse(small.attributes, {})).toEqual({ At: 1 });
    expect(small.key({ small: '1' })).toEqual({ pk: 'SMALL#1', sk: 'S' });
  });
});
