import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { poolOf } from '../../src/examples/value-pool.ts';
import { isPrintable } from '../fixtures/hostile-items.ts';

describe('the values of a schema', () => {
  test.each<[string, z.ZodType, number]>([
    ['text', z.string(), 4],
    ['text within lengths', z.string().min(70).max(90), 3],
    ['text that begins and ends so', z.string().startsWith('usr_').endsWith('!'), 3],
    ['an email address', z.email(), 2],
    ['a date', z.iso.date(), 2],
    ['a date and time', z.iso.datetime(), 2],
    ['a UUID', z.uuid(), 2],
    ['a URL', z.url(), 2],
    ['a number', z.number(), 4],
    ['a whole number within limits', z.int().min(1000).max(1003), 3],
    ['a multiple', z.number().multipleOf(7).positive(), 1],
    ['a word of a list', z.enum(['low', 'high']), 2],
    ['a literal', z.literal([3, 'x']), 2],
    ['a boolean', z.boolean(), 2],
    ['bytes', z.instanceof(Uint8Array), 2],
    ['a list', z.array(z.int()).min(1), 2],
    ['a set', z.set(z.string()), 2],
    ['a set of numbers', z.set(z.number()).min(2), 1],
    ['an object', z.object({ city: z.string(), zip: z.string().optional() }), 3],
    ['a record', z.record(z.string(), z.number()), 2],
    ['a tuple', z.tuple([z.string(), z.number()]), 2],
    ['one of several', z.union([z.literal('draft'), z.iso.datetime()]), 3],
    ['text that becomes a date', z.coerce.date(), 2],
    ['text that is transformed', z.string().transform((text) => text.length), 4],
    ['a value with a default', z.string().default('x'), 4],
    ['a refined text', z.string().refine((text) => text.includes('@')), 2],
  ])('are accepted by it, and several: %s', (_, schema, least) => {
    const values = poolOf(schema, []).filter((value) => value !== undefined);

    expect(values.length).toBeGreaterThanOrEqual(least);
    for (const value of values) expect(z.safeParse(schema, value).success).toBe(true);
  });

  test.each([
    ['one that may be missing', z.string().optional(), undefined],
    ['one that may be null', z.string().nullable(), null],
  ])('hold what it may be instead: %s', (_, schema, value) => {
    expect(poolOf(schema, [])).toContain(value);
  });

  test('are hostile too: text that breaks lines, numbers with exponents', () => {
    expect(poolOf(z.string(), []).filter((text) => !isPrintable(String(text)))).not.toEqual([]);
    expect(poolOf(z.number(), []).map(String)).toContain('1e-7');
  });

  test('are its examples, if there are any', () => {
    expect(poolOf(z.string(), ['a', 'b'])).toEqual(['a', 'b']);
    expect(poolOf(z.string().optional(), ['a'])).toEqual(['a', undefined]);
  });

  test.each([
    ['a refinement', z.string().refine((text) => text === '~')],
    ['a pattern', z.string().regex(/^[A-Z]{7}$/)],
    ['a bigint', z.bigint()],
    ['nothing', z.never()],
  ])('are none where none is found: %s', (_, schema) => {
    expect(poolOf(schema, [])).toEqual([]);
  });
});
