/**
 * Mistakes that do not compile. `tsc --noEmit` checks this file and fails if an expected error is missing. The code never
 * runs.
 */
import * as z from 'zod';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { defineAggregate } from '../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../src/model/rules/define-rule.ts';
import { average, count, list, value } from '../../src/model/rules/reducers.ts';

const shelf = defineKind({
  name: 'Shelf',
  pk: 'SHELF#{shelf}',
  sk: 'SHELF',
  attributes: z.object({ Name: z.string(), Row: z.number(), Floor: z.number() }),
});
const book = defineKind({
  name: 'Book',
  pk: 'SHELF#{shelf}',
  sk: 'BOOK#{book}',
  attributes: z.object({ Name: z.string(), Title: z.string(), Label: z.string(), Pages: z.number() }),
});

const kind = {
  name: 'Shelf',
  pk: 'SHELF#{shelf}',
  sk: 'SHELF',
  attributes: z.object({ Row: z.number() }),
} as const;

const event = defineKind({ name: 'Event', pk: 'SHELF#{shelf}', sk: '{at:number}', attributes: z.object({}) });

const regions = {
  name: 'regions',
  pk: ['tenant', 'region'],
  sk: ['status', { name: 'at', type: 'N' }],
} as const;
const alone = { name: 'alone', pk: 'owner' } as const;

const index = { name: 'GSI1', pk: 'GSI1PK', sk: 'GSI1SK' } as const;

const totals = {
  name: 'pages-of-shelf',
  of: book,
  on: shelf,
  members: { in: 'partition', at: ({ ids }: { ids: { shelf: string } }) => ({ pk: book.pk(ids) }) },
  targetsOf: ({ ids }: { ids: { shelf: string } }) => [shelf.key(ids)],
} as const;

const last = { ...totals.members, last: 2 } as const;

const unsorted = { in: 'index', index: alone, at: () => ({ pk: '' }) } as const;

type Books = readonly { Title: string; Pages: number }[];
const longest = (one: Books, other: Books): Books =>
  [...one, ...other].sort((a, b) => b.Pages - a.Pages).slice(0, 3);

const right = {
  name: 'shelf-on-books',
  root: shelf,
  copy: book,
  located: { in: 'partition', at: ({ ids }: { ids: { shelf: string } }) => ({ pk: book.pk(ids) }) },
  rootOf: ({ ids }: { ids: { shelf: string } }) => shelf.key(ids),
  onDelete: 'keep',
  onExpire: 'keep',
} as const;

export const mistakes = [
  // A valid rule compiles; otherwise the errors below would prove nothing.
  defineRule({ ...right, copies: ['Name'] }),
  defineRule({ ...right, reads: { root: ['Row'] }, derive: { Label: ({ root }) => root.Row } }),

  // @ts-expect-error an attribute that neither has
  defineRule({ ...right, copies: ['Nmae'] }),

  // @ts-expect-error an attribute that only the copy has
  defineRule({ ...right, copies: ['Title'] }),

  // @ts-expect-error an attribute that only the root has
  defineRule({ ...right, copies: ['Row'] }),

  // @ts-expect-error a derived attribute that the copy does not have
  defineRule({ ...right, derive: { Lable: () => 'x' } }),

  // @ts-expect-error a derived attribute that DynamoDB does not store
  defineRule({ ...right, derive: { Label: () => new Date() } }),

  defineRule({ ...right, copies: { Name: 'Label' } }),

  // @ts-expect-error an attribute under another name that the copy does not have
  defineRule({ ...right, copies: { Name: 'Lable' } }),

  // @ts-expect-error an attribute under another name that the root does not have
  defineRule({ ...right, copies: { Nmae: 'Label' } }),

  // @ts-expect-error an attribute under a name that holds another type
  defineRule({ ...right, copies: { Row: 'Label' } }),

  // @ts-expect-error an unknown policy for copies that name no root
  defineRule({ ...right, copies: ['Name'], onUnlink: 'forget' }),

  // @ts-expect-error a derived list with what DynamoDB does not store
  defineRule({ ...right, derive: { Label: () => [new Date()] } }),

  // @ts-expect-error an attribute to read that the root does not have
  defineRule({ ...right, copies: ['Name'], reads: { root: ['Rwo'] } }),

  // @ts-expect-error an attribute to read that the copy does not have
  defineRule({ ...right, copies: ['Name'], reads: { copy: ['Row'] } }),

  // @ts-expect-error a derivation that reads an undeclared attribute
  defineRule({ ...right, reads: { root: ['Row'] }, derive: { Label: ({ root }) => root.Floor } }),

  defineRule({
    ...right,
    located: { in: 'partition', at: ({ ids }) => ({ pk: book.pk(ids) }) },
    rootOf: ({ ids }) => shelf.key(ids),
    // @ts-expect-error a derivation that reads an undeclared attribute of the copy
    derive: { Label: ({ copy }) => copy.Title },
  }),

  defineRule({
    ...right,
    located: { in: 'partition', at: ({ ids }) => ({ pk: book.pk(ids) }) },
    rootOf: ({ ids }) => shelf.key(ids),
    // @ts-expect-error a derivation that reads the root if no attribute is declared
    derive: { Label: ({ root }) => root.Row },
  }),

  // @ts-expect-error a derivation that misspells an id of the key
  defineRule({ ...right, derive: { Label: ({ root }) => root.ids.shlef } }),

  // @ts-expect-error an own attribute that the copy does not have
  defineRule({ ...right, copies: 'all', own: ['Row'] }),

  // @ts-expect-error a tenant that is not in both keys
  defineRule({ ...right, copies: ['Name'], tenant: 'book' }),

  // @ts-expect-error an unknown policy
  defineRule({ ...right, copies: ['Name'], onDelete: 'forget' }),

  // @ts-expect-error a rule without removal policies
  defineRule({
    name: 'a',
    root: shelf,
    copy: book,
    located: right.located,
    rootOf: right.rootOf,
    copies: ['Name'],
  }),

  // @ts-expect-error an id that the pattern of the key does not have
  shelf.key({ shlef: '1' }),

  // @ts-expect-error a missing id of the key
  book.key({ shelf: '1' }),

  defineRule({
    ...right,
    copies: ['Name'],
    // @ts-expect-error a location that reads an undeclared attribute
    located: { in: 'partition', at: ({ Name }) => ({ pk: Name }) },
  }),

  defineRule({
    ...right,
    copies: ['Name'],
    // @ts-expect-error a rootOf that reads an undeclared attribute
    rootOf: ({ Title }) => shelf.key({ shelf: Title }),
  }),
];

export const misspelt = [
  defineKind({ ...kind, keys: { GSI1: { pk: 'S#{Row:4}', sk: '{shelf}' } } }),

  // @ts-expect-error keys that name an attribute which the kind does not have
  defineKind({ ...kind, keys: { GSI1: { pk: 'S#{Rwo:4}', sk: '{shelf}' } } }),

  event.key({ shelf: '1', at: 5 }),

  // @ts-expect-error text for a number in a key
  event.key({ shelf: '1', at: '5' }),

  defineRule({
    ...{ ...right, copies: ['Name'] },
    located: {
      ...{ in: 'index', index: regions },
      at: ({ ids }) => ({ pk: ['t', ids.shelf], sk: ['open'], from: 5 }),
    },
  }),

  defineRule({
    ...right,
    copies: ['Name'],
    // @ts-expect-error one of two attributes of a partition key
    located: { in: 'index', index: regions, at: ({ ids }) => ({ pk: [ids.shelf] }) },
  }),

  defineRule({
    ...{ ...right, copies: ['Name'] },
    // @ts-expect-error text for a number in a sort key
    located: { in: 'index', index: regions, at: ({ ids }) => ({ pk: ['t', ids.shelf], sk: ['open', '5'] }) },
  }),

  defineRule({
    ...{ ...right, copies: ['Name'] },
    // @ts-expect-error the beginning of a sort key in an index without one
    located: { in: 'index', index: alone, at: ({ ids }) => ({ pk: ids.shelf, begins: 'a' }) },
  }),

  defineRule({
    ...right,
    copies: ['Name'],
    // @ts-expect-error a location in an index both by a function and by a kind
    located: { in: 'index', index, of: book, at: () => ({ pk: '' }) },
  }),

  // @ts-expect-error the mean of an attribute that the members do not have
  defineAggregate({ ...totals, computes: { Row: average('Pagse', { digits: 1 }) } }),

  defineAggregate({ ...totals, members: last, computes: { Row: value('Pages'), Name: list(['Title']) } }),

  // @ts-expect-error a list of an attribute that the members do not have
  defineAggregate({ ...totals, members: last, computes: { Name: list(['Title', 'Pagse']) } }),

  // @ts-expect-error both ends
  defineAggregate({ ...totals, members: { ...last, first: 1 }, computes: { Row: count() } }),

  defineAggregate({
    ...{ ...totals, computes: { Row: count() } },
    // @ts-expect-error an end of one of several locations
    members: [totals.members, { ...totals.members, last: 2 }],
  }),

  // @ts-expect-error an end of an index without a sort key
  defineAggregate({ ...totals, members: { ...unsorted, last: 1 }, computes: { Row: count() } }),
  defineAggregate({ ...totals, members: unsorted, computes: { Row: count() } }),

  defineAggregate({
    ...totals,
    reads: { member: ['Title', 'Pages'] },
    computes: { Name: { from: ({ Title, Pages }) => [{ Title, Pages }], add: longest } },
  }),

  // @ts-expect-error a mean without its digits
  defineAggregate({ ...totals, computes: { Row: average('Pages') } }),

  // @ts-expect-error the target has no such attribute
  defineAggregate({ ...totals, computes: { Rwo: count() } }),

  defineAggregate({ ...totals, computes: { Row: count() }, creates: true, onEmpty: 'keep' }),

  // @ts-expect-error targets that are created, and nothing of empty ones
  defineAggregate({ ...totals, computes: { Row: count() }, creates: true }),

  // @ts-expect-error empty targets that are not created
  defineAggregate({ ...totals, computes: { Row: count() }, onEmpty: 'delete' }),

  // @ts-expect-error a key that is not in a list
  defineAggregate({ ...totals, computes: { Row: count() }, targetsOf: () => shelf.key({ shelf: 'a' }) }),

  defineAggregate({
    ...totals,
    // @ts-expect-error the function reads what is not in reads.member
    computes: { Row: { from: (member) => member.Pages, add: 'sum' } },
  }),
];
