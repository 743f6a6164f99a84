import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { list, value } from '../../../src/model/rules/reducers.ts';
import { totalsOf } from '../../../src/simulator/oracle/totals.ts';
import { table } from '../../../src/table.ts';
import { item } from '../../fixtures/model/items.ts';

const shelf = defineKind({
  ...{ name: 'Shelf', pk: 'SHELF#{shelf}', sk: 'SHELF' },
  attributes: z.object({ Last: z.int().optional(), All: z.array(z.json()).optional() }),
});
const book = defineKind({
  ...{ name: 'Book', pk: 'SHELF#{shelf}', sk: 'BOOK#{book}' },
  attributes: z.object({ Pages: z.int() }),
});

test.each([
  ['a value', { Last: value('Pages') }],
  ['a list', { All: list('Pages') }],
])('%s of a member that its schema refuses is none that a target could have', (_, computes) => {
  const aggregate = defineAggregate({
    ...{ name: 'books', of: book, on: shelf, reads: { member: ['Pages'] }, computes },
    members: {
      in: 'partition',
      at: ({ ids }) => ({ pk: `SHELF#${ids.shelf}`, skPrefix: 'BOOK#' }),
      last: 1,
    },
    targetsOf: ({ ids }) => [shelf.key({ shelf: ids.shelf })],
  });
  const [bound] = defineConfig({ table, rules: [], aggregates: [aggregate] }).registry().aggregates;
  const totals = bound && totalsOf(bound);
  const target = item({ PK: 'SHELF#1', SK: 'SHELF' });
  const aBook = (Pages: number | boolean) => item({ PK: 'SHELF#1', SK: 'BOOK#1', Pages });

  expect(totals?.wanted(target, [aBook(3)])).toBeInstanceOf(Map);
  expect(totals?.wanted(target, [aBook(true)])).toBeUndefined();
});
