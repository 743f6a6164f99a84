import { expect, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import type { AttributeValue } from '../../../src/model/items/attribute-value.ts';
import { exceededLimit, parsedBy } from '../../../src/model/kinds/view.ts';
import { value } from '../../fixtures/model/items.ts';

const toldOf = (schema: z.core.$ZodType, found: AttributeValue) =>
  exceededLimit(parsedBy(schema, found).error?.issues[0], found);

test.each<[z.ZodType, AttributeValue, string]>([
  [z.string().min(1), value(''), ' and length 0 (Too small: expected string to have >=1 characters)'],
  [
    z.string().max(9),
    value('secret'.repeat(50)),
    ' and length 300 (Too big: expected string to have <=9 characters)',
  ],
  [z.string().regex(/^\d+$/), value('secret'), ' and length 6 (Invalid string: must match pattern /^\\d+$/)'],
  [z.email(), value('secret'), ' and length 6 (Invalid email address)'],
  [z.enum(['A', 'B']), value('secret'), ' and length 6 (Invalid option: expected one of "A"|"B")'],
  [z.number().min(0), value(-17), ' (Too small: expected number to be >=0)'],
  [z.number().lt(9), value(17), ' (Too big: expected number to be <9)'],
  [z.number().multipleOf(5), value(17), ' (Invalid number: must be a multiple of 5)'],
  [z.array(z.string()).min(1), value([]), ' and length 0 (Too small: expected array to have >=1 items)'],
  [
    z.set(z.string()).min(3),
    value(new Set(['secret'])),
    ' and length 1 (Too small: expected set to have >=3 items)',
  ],
  [
    z.string().max(2, { error: ({ input }) => `no ${input}` }),
    value('secret'),
    ' and length 6 (Too big: expected string to have <=2 characters)',
  ],
  [z.string().transform((text) => JSON.parse(text)), value('secret'), ' (its schema threw SyntaxError)'],
])('a limit is told without content: %#', (schema, found, told) => {
  expect(toldOf(schema, found)).toBe(told);
});

test.each<[string, z.ZodType, AttributeValue]>([
  ['within a map', z.record(z.string(), z.string().min(9)), value({ secret: 'a' })],
  ['of a key', z.strictObject({}), value({ secret: 'a' })],
  [
    'in a message of its own',
    z.string().refine(() => false, { error: ({ input }) => `no ${input}` }),
    value('secret'),
  ],
])('nothing is told where that might quote the value: %s', (_, schema, found) => {
  expect(toldOf(schema, found)).toBe('');
});

test('a limit of a schema of zod/mini, which has no words for it, is told in the same', () => {
  const { localeError } = z.config();
  try {
    z.config({ localeError: undefined });
    const told = ' and length 0 (Too small: expected string to have >=1 characters)';
    expect(toldOf(mini.string().check(mini.minLength(1)), value(''))).toBe(told);
  } finally {
    z.config({ localeError });
  }
});
