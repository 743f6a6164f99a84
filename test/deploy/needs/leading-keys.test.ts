import { defineKind } from 'stream-denormalizer';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { leadingKeys } from '../../../src/deploy/needs/usage.ts';

const names = { pk: 'PK', sk: 'SK', indexes: {}, ttl: 'ttl', type: 'type' } as const;

const kindOf = (pk: string) => defineKind({ name: pk, pk, sk: 'X', attributes: z.object({}) });

/** Whether IAM lets a key pass: `*` stands for any text, `?` for any character, and `${` begins a variable. */
function passes(patterns: readonly string[], key: string): boolean {
  expect(patterns.join()).not.toContain('$');
  return patterns.some((pattern) => {
    const regular = pattern
      .replace(/[\\^$.|+(){}[\]]/g, '\\$&')
      .replaceAll('?', '.')
      .replaceAll('*', '.*');
    return new RegExp(`^${regular}$`, 's').test(key);
  });
}

test('the keys of written kinds pass, and those of other kinds do not', () => {
  const patterns = leadingKeys(names, [kindOf('acct_{a}#inc_{i}#part'), kindOf('TOTALS'), kindOf('TOTALS')]);

  expect(patterns).toEqual(['acct_*#inc_*#part', 'TOTALS']);
  for (const key of ['acct_A#inc_1#part', 'acct_\n#inc_*#part', 'TOTALS'])
    expect(passes(patterns, key), key).toBe(true);
  for (const key of ['acct_A#inc', 'TOTALS#1', 'USER#1']) expect(passes(patterns, key), key).toBe(false);
});

test('a character with a meaning in IAM is matched like any other', () => {
  const kind = kindOf('$*?{id}');

  expect(passes(leadingKeys(names, [kind]), kind.pk({ id: '1' }))).toBe(true);
});

test('nothing is told apart if the key of one kind may be any text', () => {
  expect(leadingKeys(names, [kindOf('USER#{user}'), kindOf('{id}')])).toEqual([]);
});

test('nothing is told apart by a number: no pattern would let its writes pass', () => {
  const numeric = { ...names, pk: { name: 'id', type: 'N' } } as const;

  for (const pk of ['{id:number}', '{id:bigint}', '7'])
    expect(leadingKeys(numeric, [kindOf(pk)]), pk).toEqual([]);
});
