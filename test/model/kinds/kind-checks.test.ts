import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { TableNames } from '../../../src/model/items/table-names.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { checkKinds } from '../../../src/model/kinds/kind-checks.ts';
import { single, table } from '../../fixtures/model/typed-keys.ts';
import { refusal } from '../../suites/refusal.ts';

const attributes = z.object({ status: z.string().optional() });

function checked(names: TableNames, ...kinds: readonly ReturnType<typeof defineKind>[]) {
  return () => checkKinds(names, kinds);
}

describe('a kind', () => {
  test.each([
    [table, '{at:number}'],
    [table, '{at:bigint}'],
    [table, '0'],
    [table, '-1.5'],
    [single, undefined],
  ])('fits the keys of a table %#: %j', (names, sk) => {
    const kind = defineKind({ name: 'K', pk: 'K#{k}', ...(sk !== undefined && { sk }), attributes });

    expect(checked(names, kind)).not.toThrow();
  });

  test.each([
    [
      table,
      '{at}',
      "Expected sk of kind K to be a number, '{at:number}', '{at:bigint}' or one such as '0', because at is one, got '{at}'",
    ],
    [table, '1.0', "got '1.0'"],
    [table, undefined, 'got none'],
    [single, 'X', "Expected sk of kind K to be left out, because the table has no sort key, got 'X'"],
    [
      { ...single, sk: 'sk' },
      '{at:number}',
      "Expected sk of kind K to be a pattern such as 'METADATA', because sk is text",
    ],
    [{ ...single, sk: 'sk' }, undefined, 'got none'],
  ])('that does not fit is refused when rules load: %# %j', (names, sk, message) => {
    const kind = defineKind({ name: 'K', pk: 'K#{k}', ...(sk !== undefined && { sk }), attributes });

    expect(refusal(checked(names, kind))).toMatchObject({
      ...{ code: 'kind.key', message: expect.stringContaining(message) },
    });
  });

  test.each([
    [{ status: z.number() }, 'status'],
    [{ status: z.bigint().optional() }, 'status'],
    [{ at: z.enum(['a']) }, 'at'],
    [{ at: z.string().nullable().default('') }, 'at'],
  ])('whose schema gives an index another type is refused: %#', (shape, name) => {
    const kind = defineKind({ name: 'K', pk: 'K#{k}', sk: '{at:number}', attributes: z.object(shape) });

    expect(refusal(checked(table, kind))).toMatchObject({
      ...{ code: 'kind.index-type', message: expect.stringContaining(`Expected '${name}' of kind K to be`) },
    });
  });

  test('may have an index key of the other type if its schema converts it', () => {
    const shape = { status: z.coerce.number(), at: z.coerce.string().optional() };
    const kind = defineKind({ name: 'K', pk: 'K#{k}', sk: '{at:number}', attributes: z.object(shape) });

    expect(checked(table, kind)).not.toThrow();
  });

  test('is refused beside another one of its name, with another key or type', () => {
    const kind = (more: object) => defineKind({ name: 'K', pk: 'K#{k}', sk: '0', attributes, ...more });

    expect(checked(table, kind({}), kind({}))).not.toThrow();
    for (const more of [{ pk: 'L#{k}' }, { type: 'K' }])
      expect(refusal(checked(table, kind({}), kind(more)))).toMatchObject({ code: 'kind.twice' });
  });
});
