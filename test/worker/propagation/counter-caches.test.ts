import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { itemOf } from '../../../src/develop/testing/plain-values.ts';
import { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { jsValue } from '../../../src/model/attribute-value.ts';
import { defineConfig } from '../../../src/model/config.ts';
import { defineAggregate } from '../../../src/model/define-aggregate.ts';
import { defineRule } from '../../../src/model/define-rule.ts';
import { defineKind } from '../../../src/model/kind.ts';
import { average, count, sum } from '../../../src/model/reducers.ts';
import { GSI1, table } from '../../../src/table.ts';

/** A shelf may stand on another one, whose name it repeats. */
const shelf = defineKind({
  name: 'Shelf',
  pk: 'SHELF#{shelf}',
  sk: 'SHELF',
  attributes: z.object({
    Name: z.string(),
    Below: z.string().optional(),
    BelowName: z.string().optional(),
    Books: z.number(),
    Lent: z.number(),
    Pages: z.number(),
    Stars: z.number(),
  }),
  keys: { [GSI1.name]: { pk: 'SHELF#{Below}', sk: 'SHELF#{shelf}' } },
});

const book = defineKind({
  name: 'Book',
  pk: 'BOOK#{book}',
  sk: 'BOOK',
  attributes: z.object({
    ShelfId: z.string().optional(),
    ShelfName: z.string(),
    Lent: z.boolean().default(false),
    Pages: z.int().nullish(),
    Stars: z.int().optional(),
  }),
  keys: { [GSI1.name]: { pk: 'SHELF#{ShelfId}', sk: 'BOOK#{book}' } },
});

const shelfNamed = (id: string | undefined) => (id === undefined ? undefined : shelf.key({ shelf: id }));
const cleared = { onDelete: 'clear', onExpire: 'clear', onUnlink: 'clear' } as const;

const shelfOnBooks = defineRule({
  ...{ name: 'shelf-on-books', root: shelf, copy: book, reads: { copy: ['ShelfId'] } },
  located: { in: 'index', index: GSI1, of: book },
  rootOf: ({ ShelfId }) => shelfNamed(ShelfId),
  copies: { Name: 'ShelfName' },
  ...cleared,
});

const shelfOnShelves = defineRule({
  ...{ name: 'shelf-on-shelves', root: shelf, copy: shelf, reads: { copy: ['Below'] } },
  located: { in: 'index', index: GSI1, of: shelf },
  rootOf: ({ Below }) => shelfNamed(Below),
  copies: { Name: 'BelowName' },
  ...cleared,
});

const booksOfShelf = defineAggregate({
  ...{ name: 'books-of-shelf', of: book, on: shelf, reads: { member: ['ShelfId', 'Lent'] } },
  members: { in: 'index', index: GSI1, of: book },
  targetsOf: ({ ShelfId }) => [shelfNamed(ShelfId)].filter((key) => key !== undefined),
  computes: {
    Books: count(),
    Lent: { from: ({ Lent }) => (Lent ? 1 : undefined), add: 'sum' },
    Pages: sum('Pages'),
    Stars: average('Stars', { digits: 1 }),
  },
});

const registry = defineConfig({
  table,
  rules: [shelfOnBooks, shelfOnShelves],
  aggregates: [booksOfShelf],
}).registry();

type Plain = Parameters<typeof itemOf>[0];

const of = (id: string) => ({ pk: id, sk: id.split('#')[0] ?? '' });

/** What items have, other than keys, once each of these steps is at rest. */
async function stateAfter(...steps: readonly ((items: ModelWorker['table']) => unknown)[]) {
  const worker = new ModelWorker(registry);
  const put = (id: string, attributes: Plain) =>
    worker.table.put(itemOf({ [table.pk]: id, [table.sk]: of(id).sk, ...attributes }));
  put('SHELF#a', { Name: 'A' });
  put('SHELF#b', { Name: 'B', Below: 'a' });
  put('BOOK#1', { ShelfId: 'a', Lent: true, Pages: 100, Stars: 5 });
  put('BOOK#2', { ShelfId: 'a', Pages: 50, Stars: -2 });
  await worker.rest();
  for (const step of steps) {
    step(worker.table);
    await worker.rest();
  }
  expect(worker.queue.deadLettered).toEqual([]);
  const seen = (id: string) =>
    Object.fromEntries(
      Object.entries(worker.table.read(of(id)) ?? {}).map(([name, one]) => [name, jsValue(one)]),
    );
  return { a: seen('SHELF#a'), b: seen('SHELF#b'), one: seen('BOOK#1'), two: seen('BOOK#2'), worker };
}

const set = (id: string, attributes: Plain) => (items: ModelWorker['table']) =>
  items.update(of(id), { set: itemOf(attributes) });

describe('what a shelf counts of its books, and what its books repeat of it', () => {
  test('is there at first', async () => {
    expect(await stateAfter()).toMatchObject({
      a: { Books: 2, Lent: 1, Pages: 150, Stars: 1.5 },
      b: { Books: 0, Lent: 0, Pages: 0, BelowName: 'A' },
      one: { ShelfName: 'A', [GSI1.pk]: 'SHELF#a' },
    });
  });

  test('goes with a book that is moved to another shelf', async () => {
    expect(await stateAfter(set('BOOK#1', { ShelfId: 'b' }))).toMatchObject({
      a: { Books: 1, Lent: 0, Pages: 50, Stars: -2 },
      b: { Books: 1, Lent: 1, Pages: 100, Stars: 5 },
      one: { ShelfName: 'B', [GSI1.pk]: 'SHELF#b' },
    });
  });

  test('ends with a book whose shelf is set to null, or that is deleted', async () => {
    const { a, one } = await stateAfter(set('BOOK#1', { ShelfId: null }), (items) =>
      items.delete(of('BOOK#2')),
    );

    expect(a).toMatchObject({ Books: 0, Lent: 0, Pages: 0 });
    expect(a).not.toHaveProperty('Stars');
    for (const gone of ['ShelfName', GSI1.pk, GSI1.sk]) expect(one).not.toHaveProperty(gone);
  });

  test('follows a condition, a value that becomes null, and a counter that somebody overwrites', async () => {
    const changes = [set('BOOK#2', { Lent: true, Pages: null }), set('SHELF#a', { Books: 9, Pages: null })];

    expect(await stateAfter(...changes)).toMatchObject({ a: { Books: 2, Lent: 2, Pages: 100, Stars: 1.5 } });
  });

  test('follows a new name, also on shelves, and is cleared with the shelf', async () => {
    const renamed = set('SHELF#a', { Name: 'Z' });
    expect(await stateAfter(renamed)).toMatchObject({ b: { BelowName: 'Z' }, two: { ShelfName: 'Z' } });
    const { b, two } = await stateAfter(renamed, (items) => items.delete(of('SHELF#a')));

    expect(two).not.toHaveProperty('ShelfName');
    expect(b).not.toHaveProperty('BelowName');
  });

  test('comes with a shelf that is put after its book', async () => {
    const late = (items: ModelWorker['table']) =>
      items.put(itemOf({ [table.pk]: 'SHELF#c', [table.sk]: 'SHELF', Name: 'C', Below: 'c' }));
    const { worker, one } = await stateAfter(set('BOOK#1', { ShelfId: 'c' }), late);

    expect(one).toMatchObject({ ShelfName: 'C' });
    expect(worker.table.read(of('SHELF#c'))).toMatchObject({ Books: { N: '1' }, BelowName: { S: 'C' } });
  });

  test('is not written for a change of something else, nor for another spelling of a number', async () => {
    const { worker } = await stateAfter();
    const { itemsWritten } = worker.port.counts;
    worker.table.update(of('SHELF#a'), { set: { SeenAt: { S: 'now' } } });
    worker.table.update(of('BOOK#1'), { set: { SeenAt: { S: 'now' }, Pages: { N: '1e2' } } });
    await worker.rest();

    expect(worker.port.counts.itemsWritten).toBe(itemsWritten);
  });
});
