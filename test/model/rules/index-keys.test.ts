import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Item } from '../../../src/model/items/item.ts';
import type { IndexNames, TableNames } from '../../../src/model/items/table-names.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import type { AnyKind } from '../../../src/model/kinds/kind.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { count } from '../../../src/model/rules/reducers.ts';
import type { Registry } from '../../../src/model/rules/registry.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { itselfIn } from '../../../src/plan/match.ts';
import { project, RootProjection } from '../../../src/plan/projection.ts';
import { locationOf } from '../../../src/plan/rule-functions.ts';
import { bound } from '../../fixtures/model/bound.ts';

const byUser = { name: 'by-user', pk: 'userPk', sk: 'userSk' };
const byScore = { name: 'by-score', pk: 'scorePk', sk: 'scoreSk' };
const table: TableNames = {
  ...{ pk: 'PK', sk: 'SK', ttl: 'Expires', type: '_type' },
  indexes: { byUser, byScore },
};

const user = defineKind({
  name: 'User',
  pk: 'USER#{user}',
  sk: 'PROFILE',
  attributes: z.object({ Name: z.string(), Reviews: z.number() }),
});

const keys = {
  'by-user': { pk: 'USER#{UserId}', sk: 'REVIEW#{review}' },
  'by-score': { pk: 'BOOK#{Book}', sk: '{Score:4}#{review}' },
} as const;

const reviewOf = {
  name: 'BookReview',
  pk: 'REVIEW#{review}',
  sk: 'REVIEW',
  attributes: z.object({ UserId: z.string(), Book: z.string(), Score: z.int(), Name: z.string() }),
} as const;

const review = defineKind({ ...reviewOf, keys });

const nameOnReviews = defineRule({
  name: 'name-on-reviews',
  root: user,
  copy: review,
  reads: { copy: ['UserId'] },
  located: { in: 'index', index: byUser, of: review },
  rootOf: ({ UserId }) => user.key({ user: UserId }),
  copies: ['Name'],
  onDelete: 'keep',
  onExpire: 'keep',
});

const registry = registryOf([nameOnReviews]);

/** The index keys of a review with these attributes. */
function keysOf(attributes: Item) {
  return Object.fromEntries(projectionOf(attributes).on(reviewWith(attributes)));
}

function reviewWith(attributes: Item): Item {
  return { PK: { S: 'REVIEW#7' }, SK: { S: 'REVIEW' }, ...attributes };
}

function projectionOf(attributes: Item, by: Registry = registry): RootProjection {
  const rule = by.rule('book-review-keys');
  if (rule === undefined) throw new Error('Expected the rule of the keys');
  return new RootProjection(rule, reviewWith(attributes));
}

const whole = { UserId: { S: 'ada' }, Book: { S: 'sicp' }, Score: { N: '42' } };

const digits = expect.stringContaining('a whole number from 0 with at most 4 digits');
const rejected = expect.stringContaining('that DynamoDB rejects');

describe('the index keys that a kind declares', () => {
  test('are written by a rule of the kind, from ids and attributes', () => {
    expect(keysOf(whole)).toEqual({
      ...{ userPk: { S: 'USER#ada' }, userSk: { S: 'REVIEW#7' } },
      ...{ scorePk: { S: 'BOOK#sicp' }, scoreSk: { S: '0042#7' } },
    });
  });

  test.each([
    ['lacks', undefined, z.string()],
    ['has as NULL, where its schema takes null,', { NULL: true } as const, z.string().nullable()],
    ['has as NULL, whatever its schema says,', { NULL: true } as const, z.string()],
    ['has as empty text, whatever its schema says,', { S: '' } as const, z.string().min(1)],
  ])('are both missing, of the one index, if the item %s an attribute', (_, Book, schema) => {
    const nullable = defineKind({
      ...reviewOf,
      attributes: reviewOf.attributes.extend({ Book: schema }),
      keys,
    });
    const rule = registryOf([], [nullable]).rule('book-review-keys');
    const { Book: __, ...rest } = whole;
    const item = { PK: { S: 'REVIEW#7' }, SK: { S: 'REVIEW' }, ...rest, ...(Book && { Book }) };

    expect(rule && Object.fromEntries(project(rule, item, item))).toMatchObject({
      ...{ userPk: { S: 'USER#ada' }, scorePk: undefined, scoreSk: undefined },
    });
  });

  const tooLong = { S: 'x'.repeat(2048) } as const;

  test.each<[string, Item, object]>([
    ['a number that does not fit', { Score: { N: '10000' } }, { code: 'key.unwritable', message: digits }],
    ['a negative number', { Score: { N: '-1' } }, { code: 'key.unwritable', message: digits }],
    ['a fraction', { Score: { N: '0.5' } }, { code: 'root.invalid' }],
    ['what its schema refuses', { Score: { S: '7' } }, { code: 'root.invalid' }],
    ['text that is too long', { Book: tooLong }, { code: 'root.invalid', message: rejected }],
  ])('are none of that index from %s, and say why', (_, attributes, fault) => {
    const projection = projectionOf({ ...whole, ...attributes });

    expect(Object.fromEntries(projection.on(reviewWith({})))).toEqual({
      ...{ userPk: { S: 'USER#ada' }, userSk: { S: 'REVIEW#7' } },
      ...{ scorePk: undefined, scoreSk: undefined },
    });
    expect(projection.fault).toMatchObject(fault);
  });

  test.each([
    ['that is new', 'invalid', undefined, {}],
    ['with another attribute that differs', 'invalid', whole, {}],
    ['that was so before', 'invalid-as-before', { ...whole, Score: { N: '-1' } }, { Mood: { S: 'x' } }],
    ['that has it still', 'wrong', whole, { scorePk: { S: 'BOOK#sicp' }, scoreSk: { S: '0042#7' } }],
  ] as const)('that cannot be made are told of an item %s: %s', (_, is, before, more) => {
    const { rule } = projectionOf(whole);
    const after = {
      userPk: { S: 'USER#ada' },
      userSk: { S: 'REVIEW#7' },
      ...whole,
      Score: { N: '-1' },
      ...more,
    };
    const change = {
      ...{ key: { pk: 'REVIEW#7', sk: 'REVIEW' }, sequence: 1n, expired: false, at: undefined },
      ...{ before: before && reviewWith(before), after: reviewWith(after) },
    };

    expect(itselfIn(rule, change)).toBe(is);
    expect(itselfIn(rule, { ...change, after: reviewWith({ ...after, ...keysOf(whole), ...whole }) })).toBe(
      'right',
    );
  });

  test('are missing without a fault if the item lacks a name', () => {
    const { Book: _, ...rest } = whole;
    const projection = projectionOf({ ...rest, Score: { N: '-1' } });

    expect(projection.on(reviewWith({})).get('scoreSk')).toBeUndefined();
    expect(projection.fault).toBeUndefined();
  });

  test.each([
    ['7', '0007#7'],
    ['1e3', '1000#7'],
    ['12345678901234567890', '12345678901234567890#7'],
  ])('have each digit of a bigint: %s', (N, scoreSk) => {
    const exact = defineKind({
      ...reviewOf,
      attributes: reviewOf.attributes.extend({ Score: z.bigint() }),
      keys: {
        'by-score': { pk: 'BOOK', sk: scoreSk.length > 9 ? '{Score}#{review}' : '{Score:4}#{review}' },
      },
    });
    const rule = registryOf([], [exact]).rule('book-review-keys');
    const item = { PK: { S: 'REVIEW#7' }, SK: { S: 'REVIEW' }, Score: { N } };

    expect(rule && project(rule, item, item).get('scoreSk')).toEqual({ S: scoreSk });
  });

  test.each([
    ['UserOrder', 'user-order-keys'],
    ['2ndOrder', 'kind-2nd-order-keys'],
    ['Каталог', 'kind-keys'],
  ])('of %s are written by %s', (name, rule) => {
    expect(registryOf([], [defineKind({ ...reviewOf, name, keys })]).rules.map((one) => one.name)).toEqual([
      rule,
    ]);
  });

  test('never run into each other, whatever text they have', () => {
    const tenant = defineKind({ ...reviewOf, keys: { 'by-user': { pk: '{Book}#{UserId}', sk: 'x' } } });
    const tenants = registryOf([], [tenant]);
    const projection = projectionOf({ ...whole, Book: { S: 'a#b' } }, tenants);

    expect(projection.on(reviewWith({})).get('userPk')).toBeUndefined();
    expect(projection.fault?.message).toContain("has no '#'");
  });

  test('say where a rule and an aggregate find the items', () => {
    const root = { PK: { S: 'USER#ada' }, SK: { S: 'PROFILE' } };

    expect(locationOf(bound(nameOnReviews, table), root)).toEqual({
      ...{ in: 'index', index: 'by-user', pk: 'USER#ada', begins: 'REVIEW#' },
    });
    expect(reviewsOfUser.members[0]?.at?.({ ids: { user: 'ada' } })).toEqual({
      ...{ pk: 'USER#ada', begins: 'REVIEW#' },
    });
  });

  const pageKeys = { 'by-owner': { pk: ['{owner}', '{shard}'], sk: ['{rank:2}'] } } as const;
  const pageNames = {
    ...{ pk: { name: 'id', type: 'N' }, ttl: 'Expires', type: '_type' },
    indexes: {
      byOwner: { name: 'by-owner', pk: ['ownerKey', { name: 'shardKey', type: 'N' }], sk: ['rankKey'] },
      byAuthor: { name: 'by-author', pk: { name: 'authorKey', type: 'N' } },
    },
  } as const satisfies TableNames;
  const page = defineKind({
    ...{ name: 'Page', pk: '{page:bigint}' },
    attributes: z.object({
      ...{ owner: z.string(), shard: z.number().or(z.string()), rank: z.int(), author: z.bigint() },
      name: z.string().optional(),
    }),
    keys: { ...pageKeys, 'by-author': { pk: '{author}' } },
  });
  const writer = defineKind({ name: 'W', pk: '{w:bigint}', attributes: z.object({ name: z.string() }) });
  const onPages = (index: IndexNames) =>
    defineRule({
      ...{ name: 'name-on-pages', root: writer, copy: page, rootOf: () => undefined },
      located: { in: 'index', index, of: page },
      ...{ copies: ['name'], onDelete: 'keep', onExpire: 'keep' },
    });

  test.each(['7', '12345678901234567890'])('are numbers with all their digits: %s', (N) => {
    const rule = defineConfig({ table: pageNames, rules: [], kinds: [page] })
      .registry()
      .rule('page-keys');
    const item = { id: { N: '1' }, owner: { S: 'ada' }, shard: { N }, rank: { N: '3' }, author: { N } };

    expect(rule && Object.fromEntries(project(rule, item, item))).toEqual({
      ...{ ownerKey: { S: 'ada' }, shardKey: { N }, rankKey: { S: '03' }, authorKey: { N } },
    });
  });

  test('follow from a numeric key of the root, which is none of several attributes', () => {
    const root = { id: { N: '12345678901234567890' } };
    const { byAuthor, byOwner } = pageNames.indexes;

    expect(locationOf(bound(onPages(byAuthor), pageNames), root)).toEqual({
      ...{ in: 'index', index: 'by-author', pk: '12345678901234567890' },
    });
    expect(() => onPages(byOwner)).toThrow("whose partition '{owner}' does not follow from the key of W");
  });
});

const reviewsOfUser = defineAggregate({
  name: 'reviews-of-user',
  of: review,
  on: user,
  reads: { member: ['UserId'] },
  members: { in: 'index', index: byUser, of: review },
  targetsOf: ({ UserId }) => [user.key({ user: UserId })],
  computes: { Reviews: count() },
});

describe('an index whose key the item has by itself', () => {
  const inverted = { name: 'inverted', pk: 'SK', sk: 'PK' };
  const byOwner = { name: 'by-owner', pk: 'UserId', sk: 'scoreSk' };
  const names: TableNames = { ...table, indexes: { inverted, byOwner } };
  const rulesWith = (declared: Record<string, { pk: string; sk: string }>) =>
    defineConfig({ table: names, rules: [], kinds: [defineKind({ ...reviewOf, keys: declared })] }).registry()
      .rules;

  test('keeps that attribute, and gets the other key beside it', () => {
    const [rule] = rulesWith({ 'by-owner': { pk: '{UserId}', sk: '{Score:4}' } });
    const item = { PK: { S: 'REVIEW#7' }, SK: { S: 'REVIEW' }, UserId: { S: 'ada' }, Score: { N: '5' } };
    const { Score: _, ...lacking } = item;

    expect(rule && [...project(rule, item, item)]).toEqual([['scoreSk', { S: '0005' }]]);
    expect(rule && [...project(rule, lacking, lacking)]).toEqual([['scoreSk', undefined]]);
  });

  test('needs no rule if its keys are those of the table', () => {
    expect(rulesWith({ inverted: { pk: 'REVIEW', sk: 'REVIEW#{review}' } })).toEqual([]);
  });

  test('needs no rule if those are numbers, or have a colon', () => {
    const at = { name: 'at', type: 'N' } as const;
    const indexes = { inverted: { name: 'inverted', pk: at, sk: 'PK' } };
    const urn = defineKind({
      ...{ ...reviewOf, pk: 'urn:book:{book}', sk: '{at:number}' },
      keys: { inverted: { pk: '{at}', sk: 'urn:book:{book}' } },
    });

    const config = defineConfig({ table: { ...table, sk: at, indexes }, rules: [], kinds: [urn] });

    expect(config.registry().rules).toEqual([]);
  });

  test.each([
    [
      'by-owner',
      { pk: 'USER#{UserId}', sk: '{Score:4}' },
      "UserId, which the item has as an attribute, by '{UserId}', got 'USER#{UserId}'",
    ],
    [
      'inverted',
      { pk: 'BOOK', sk: 'REVIEW#{review}' },
      "SK, which the item has as a key of the table, by 'REVIEW', got 'BOOK'",
    ],
  ])('refuses another pattern: %s', (index, declared, message) => {
    expect(() => rulesWith({ [index]: declared })).toThrow(
      `Expected keys of kind BookReview for ${index} to give ${message}`,
    );
  });
});

const refusals: Readonly<Record<string, () => unknown>> = {
  "Expected keys of kind BookReview to name indexes of the table, got 'by-usr': did you mean 'by-user'?":
    () => registryOf([], [defineKind({ ...reviewOf, keys: { 'by-usr': keys['by-user'] } })]),
  "Expected keys.by-user of kind BookReview to name attributes that the schema of BookReview lists, got 'UsrId': did you mean 'UserId'?":
    // @ts-expect-error an attribute that the kind does not have
    () => defineKind({ ...reviewOf, keys: { 'by-user': { pk: 'USER#{UsrId}', sk: 'x' } } }),
  "Expected an index key pattern such as 'STATUS#{status}' or '{score:10}', got '{Book}{UserId}': put text between two names":
    () => defineKind({ ...reviewOf, keys: { 'by-user': { pk: '{Book}{UserId}', sk: 'x' } } }),
  'Kinds BookReview and Book Review both have their keys written by a rule book-review-keys: give one of the two kinds another name':
    () => registryOf([], [review, defineKind({ ...reviewOf, name: 'Book Review', keys })]),
  "got '{Score:0}'": () => defineKind({ ...reviewOf, keys: { 'by-user': { pk: 'x', sk: '{Score:0}' } } }),
  'Rule name-on-reviews finds Draft in by-user, but is about BookReview: give BookReview as of': () =>
    locatedOf(defineKind({ ...reviewOf, name: 'Draft', keys })),
  'Rule name-on-reviews finds BookReview in by-user, for which BookReview declares no keys: add by-user to its keys, or give at instead of of':
    () => locatedOf(defineKind(reviewOf)),
  "whose partition 'USER#{Score:4}' does not follow from the key of User": () =>
    locatedOf(defineKind({ ...reviewOf, keys: { 'by-user': { pk: 'USER#{Score:4}', sk: 'x' } } })),
  "Rule name-on-reviews finds BookReview in by-user, whose partition 'BOOK#{Book}' does not follow from the key of User: name its ids (user) there, or give at instead of of":
    () => locatedOf(defineKind({ ...reviewOf, keys: { 'by-user': { pk: 'BOOK#{Book}', sk: 'x' } } })),
  'and rule book-review-keys both write': () =>
    registryOf([{ ...nameOnReviews, derive: { scoreSk: () => 'x' } }]),
};

test.each(Object.entries(refusals))('keys are refused: %s', (message, make) => {
  expect(make).toThrow(message);
});

function locatedOf(of: Parameters<typeof defineRule>[0]['copy']) {
  const located = { in: 'index', index: byUser, of } as const;
  return defineRule({ ...rest, located });
}

const rest = {
  name: 'name-on-reviews',
  root: user,
  copy: review,
  rootOf: ({ ids }: { readonly ids: { readonly review: string } }) => user.key({ user: ids.review }),
  copies: ['Name'],
  onDelete: 'keep',
  onExpire: 'keep',
} as const;

function registryOf(
  rules: readonly Rule[],
  kinds: readonly AnyKind[] = [],
  disabled: readonly string[] = [],
) {
  return defineConfig({ table, rules, kinds }).registry({ disabled });
}
