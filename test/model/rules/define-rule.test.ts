import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { refusal } from '../../suites/refusal.ts';

const shelf = defineKind({
  name: 'Shelf',
  pk: 'SHELF#{shelf}',
  sk: 'SHELF',
  attributes: z.object({ Name: z.string(), Sign: z.string(), Row: z.number() }),
});
const book = defineKind({
  name: 'Book',
  pk: 'SHELF#{shelf}',
  sk: 'BOOK#{book}',
  attributes: z.object({ Name: z.string(), Place: z.string() }),
});

const whole = {
  name: 'shelf-on-books',
  root: shelf,
  copy: book,
  located: { in: 'partition', at: ({ ids }: { ids: { shelf: string } }) => ({ pk: book.pk(ids) }) },
  rootOf: ({ ids }: { ids: { shelf: string } }) => shelf.key(ids),
  copies: ['Name'],
  onDelete: 'keep',
  onExpire: 'delete',
} as const;

describe('defining a rule', () => {
  test('fills in the defaults', () => {
    expect(defineRule(whole)).toMatchObject({
      name: 'shelf-on-books',
      reads: { root: [], copy: [] },
      copies: ['Name'],
      derive: {},
      own: [],
      unknown: 'keep',
      tenant: undefined,
      onDelete: 'keep',
      onExpire: 'delete',
    });
  });

  test('reads an item that is its own copy once: root and copy have the same reads', () => {
    const rule = defineRule({
      name: 'row-label',
      root: book,
      copy: book,
      reads: { root: ['Name'] },
      located: { in: 'itself' },
      derive: { Place: ({ root }) => root.Name },
      onDelete: 'keep',
      onExpire: 'keep',
    });

    expect(rule.reads).toEqual({ root: ['Name'], copy: ['Name'] });
  });

  test('takes a rule that only deletes copies, unless it creates them or is its own', () => {
    const nothing = { ...whole, copies: [], derive: {} };
    const deleting = [
      { ...nothing, onDelete: 'delete', onExpire: 'keep' },
      { ...nothing, onDelete: 'keep', onExpire: 'delete' },
      { ...nothing, onDelete: 'keep', onExpire: 'keep', onUnlink: 'delete' },
    ] as const;

    for (const spec of deleting) {
      expect(defineRule(spec).copies).toEqual([]);
      expect(refusal(() => defineRule({ ...spec, creates: true }))).toMatchObject({ code: 'rule.idle' });
      expect(refusal(() => defineRule({ ...spec, located: { in: 'itself' } }))).toMatchObject({
        code: 'rule.idle',
      });
    }
  });
});
