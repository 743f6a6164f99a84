import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { aging, defineArchive, predicate } from '../../../src/model/rules/archive-rule.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { count, sum } from '../../../src/model/rules/reducers.ts';
import { ByOwner, ByState, table } from '../../fixtures/model/table.ts';
import { refusal } from '../../suites/refusal.ts';

const post = defineKind({
  name: 'Post',
  pk: 'POST#{post}',
  sk: 'POST',
  attributes: z.object({ Title: z.string(), Status: z.string() }),
});
const note = defineKind({
  name: 'Note',
  pk: 'POST#{post}',
  sk: 'NOTE#{note}',
  attributes: z.object({ Title: z.string(), Writer: z.string(), Label: z.string() }),
});

const at = () => ({ pk: 'p' });
const found = { in: 'index', index: ByState, pks: ['x'], until: () => 'x' };

/** The change of a right spec, as in files whose types nobody checked. */
type Change = Readonly<Record<string, unknown>>;

const kind = (change: Change) =>
  defineKind({ name: 'Post', pk: '{post}', sk: 'POST', attributes: z.object({}), ...change });
const right = { copies: ['Title'], onDelete: 'keep', onExpire: 'keep', located: { in: 'partition', at } };
const rule = (change: Change) =>
  defineRule({ name: 'a', root: post, copy: note, rootOf: () => undefined, ...right, ...change } as never);
const located = (change: Change) => rule({ located: change });
const totals = {
  of: note,
  on: post,
  members: right.located,
  targetsOf: () => [],
  computes: { Title: count() },
};
const aggregate = (change: Change) => defineAggregate({ name: 'a', ...totals, ...change } as never);
const archive = (change: Change) => defineArchive({ name: 'a', kinds: [post], ...change } as never);
const ages = (change: Change, of = post) =>
  aging(of, { reads: [], when: () => true, since: () => 0, days: 1, found, ...change } as never);
const only = (change: Change) => predicate(post, { reads: [], item: () => true, ...change } as never);
const config = (change: Change) => defineConfig({ table, rules: [], ...change } as never);
const indexed = (change: Change) => ({ table: { ...table, indexes: { Mine: { ...ByOwner, ...change } } } });

const policies = "'delete', 'clear' or 'keep'";
const places = "'partition', 'index', 'key', 'keys' or 'itself'";
const words = "words in lower case with hyphens, such as 'author-on-posts'";
const reducers =
  'a reducer: count(), sum(…), average(…, { digits: 2 }), min(…), max(…), value(…), list(…) or { from, add }';

/** What each mistake is told, after `Expected `. */
const mistakes: Readonly<Record<string, () => unknown>> = {
  "a field of kind Post, got 'tpye': did you mean 'type'?": () => kind({ tpye: 'Post' }),
  'name of kind undefined to be text, got none: add it': () => kind({ name: undefined }),
  'type of kind Post to be text, got 7: correct it': () => kind({ type: 7 }),
  'pk of kind Post to be text, got none: add it': () => kind({ pk: undefined }),
  'sk of kind Post to be text, got 7: correct it': () => kind({ sk: 7 }),
  'attributes of kind Post to be z.object({ … }), got an object: correct it': () =>
    kind({ attributes: { Title: z.string() } }),
  'element 2 of examples of kind Post to be an object, got 7: correct it': () => kind({ examples: [{}, 7] }),

  [`name of a rule to be ${words}, got none: add it`]: () => rule({ name: undefined }),
  "a field of rule a, got 'onDelte': did you mean 'onDelete'?": () => rule({ onDelte: 'keep' }),
  [`onDelete of rule a to be ${policies}, got none: add it`]: () => rule({ onDelete: undefined }),
  [`onDelete of rule a to be ${policies}, got 'forget': correct it`]: () => rule({ onDelete: 'forget' }),
  [`onExpire of rule a to be ${policies}, got none: add it`]: () => rule({ onExpire: undefined }),
  'root of rule a to be what defineKind returns, got none: check its import': () => rule({ root: undefined }),
  "copy of rule a to be what defineKind returns, got 'Note': check its import": () => rule({ copy: 'Note' }),
  'rootOf of rule a to be a function, got an object: correct it': () => rule({ rootOf: {} }),
  "creates of rule a to be true or false, got 'yes': correct it": () => rule({ creates: 'yes' }),
  "copies of rule a to be a list of attributes, 'all', or an object such as { displayName: 'authorName' }, got 'Title': correct it":
    () => rule({ copies: 'Title' }),
  "Label of derive of rule a to be a function, got 'x': correct it": () => rule({ derive: { Label: 'x' } }),
  "own of rule a to be a list of attributes, got 'Label': correct it": () => rule({ own: 'Label' }),
  "unknown of rule a to be 'keep' or 'remove', got 'drop': correct it": () => rule({ unknown: 'drop' }),
  'tenant of rule a to be text, got a boolean: correct it': () => rule({ tenant: true }),
  'reads of rule a to be an object, got an array: correct it': () => rule({ reads: ['Title'] }),
  "a field of reads of rule a, got 'copi': did you mean 'copy'?": () => rule({ reads: { copi: [] } }),
  'root of when of rule a to be a function, got none: add it': () => rule({ when: {} }),
  'located of rule a to be an object, got none: add it': () => rule({ located: undefined }),
  "a field of located of rule a, got 'att': did you mean 'at'?": () => located({ in: 'key', att: at }),
  "a field of located of rule a, got 'at': it has in": () => located({ in: 'itself', at }),
  [`in of located of rule a to be ${places}, got 'partion': correct it`]: () =>
    located({ in: 'partion', at }),
  'at of located of rule a to be a function, got none: add it': () => located({ in: 'key' }),
  'index of located of rule a to be an object, got none: add it': () => located({ in: 'index', at }),
  "reads.root of rule a to name attributes that the schema of Post lists, got 'Titel': did you mean 'Title'?":
    () => rule({ reads: { root: ['Titel'] } }),
  "reads.copy of rule a to name attributes that the schema of Note lists, got 'writer': did you mean 'Writer'?":
    () => rule({ reads: { copy: ['writer'] } }),
  "copies of rule a to name attributes that the schema of Note lists, got 'Status': it has Title, Writer, Label":
    () => rule({ copies: ['Status'] }),
  "copies of rule a to name attributes that the schema of Post lists, got 'Writer': it has Title, Status":
    () => rule({ copies: ['Writer'] }),
  "copies, as { nameInRoot: nameInCopy }, of rule a to name attributes that the schema of Post lists, got 'Label': it has Title, Status":
    () => rule({ copies: { Label: 'Title' } }),
  "derive of rule a to name attributes that the schema of Note lists, got 'Lable': did you mean 'Label'?":
    () => rule({ derive: { Lable: () => 'x' } }),
  "own of rule a to name attributes that the schema of Note lists, got 'Writter': did you mean 'Writer'?":
    () => rule({ copies: 'all', own: ['Writter'] }),

  [`name of rule Club Totals to be ${words}, got 'Club Totals': correct it`]: () =>
    aggregate({ name: 'Club Totals' }),
  "a field of rule a, got 'limits': did you mean 'limit'?": () => aggregate({ limits: 5 }),
  'limit of rule a to be a whole number from 1 to 1,000,000, got 0: correct it': () =>
    aggregate({ limit: 0 }),
  'last of members of rule a to be a whole number from 1 to 100, got 0: correct it': () =>
    aggregate({ members: { ...right.located, last: 0 } }),
  'first of members of rule a to be a whole number from 1 to 100, got 101: correct it': () =>
    aggregate({ members: { ...right.located, first: 101 } }),
  'last of members of rule a to be a whole number from 1 to 100, got 1.5: correct it': () =>
    aggregate({ members: { ...right.located, last: 1.5 } }),
  'every of rule a to be a whole number from 1 to 900, got 901: correct it': () => aggregate({ every: 901 }),
  'every of rule a to be a whole number from 1 to 900, got 0.5: correct it': () => aggregate({ every: 0.5 }),
  "invalid of rule a to be 'dead-letter' or 'skip', got 'no': correct it": () => aggregate({ invalid: 'no' }),
  'members of rule a to be a location, or a list of locations, got none: add it': () =>
    aggregate({ members: undefined }),
  "in of members of rule a to be 'partition' or 'index', got 'key': correct it": () =>
    aggregate({ members: { in: 'key', at } }),
  'index of element 1 of members of rule a to be an object, got none: add it': () =>
    aggregate({ members: [{ in: 'index', at }] }),
  "a field of members of rule a, got 'index': it has in, at, last, first": () =>
    aggregate({ members: { in: 'partition', index: ByOwner, at } }),
  'targetsOf of rule a to be a function, got none: add it': () => aggregate({ targetsOf: undefined }),
  [`Mean of computes of rule a to be ${reducers}, got an object: correct it`]: () =>
    aggregate({ computes: { Mean: { of: 'Title', add: 'average' } } }),
  [`Title of computes of rule a to be ${reducers}, got 'count': correct it`]: () =>
    aggregate({ computes: { Status: count(), Title: 'count' } }),
  [`Title of computes of rule a to be ${reducers}, got an object: correct it`]: () =>
    aggregate({ computes: { Title: { add: 'sum' } } }),
  [`Status of computes of rule a to be ${reducers}, got an object: correct it`]: () =>
    aggregate({ computes: { Status: { from: () => 1, add: 'average' } } }),
  "computes of rule a to name attributes that the schema of Note lists, got 'Titel': did you mean 'Title'?":
    () => aggregate({ computes: { Title: sum('Titel') } }),
  "computes of rule a to name attributes that the schema of Post lists, got 'Titel': did you mean 'Title'?":
    () => aggregate({ computes: { Titel: count() } }),
  "a field of reads of rule a, got 'members': did you mean 'member'?": () =>
    aggregate({ reads: { members: [] } }),
  "reads.target of rule a to name attributes that the schema of Post lists, got 'Titel': did you mean 'Title'?":
    () => aggregate({ reads: { target: ['Titel'] } }),

  "a field of rule a, got 'storageClas': did you mean 'storageClass'?": () => archive({ storageClas: 'x' }),
  "storageClass of rule a to be 'STANDARD', 'INTELLIGENT_TIERING', 'STANDARD_IA', 'ONEZONE_IA', 'GLACIER_IR', 'GLACIER' or 'DEEP_ARCHIVE', got 'COLD': correct it":
    () => archive({ storageClass: 'COLD' }),
  'element 1 of kinds of rule a to be what defineKind returns, got none: check its import': () =>
    archive({ kinds: [undefined] }),
  'element 1 of when of rule a to be what predicate returns, got an object: correct it': () =>
    archive({ when: [{}] }),
  'ages of rule a to be what aging returns, got an object: correct it': () => archive({ ages: {} }),

  "a field of aging of Post, got 'whne': did you mean 'when'?": () => ages({ whne: () => true }),
  'since of aging of Post to be a function, got none: add it': () => ages({ since: undefined }),
  'days of aging of Post to be a number, got none: add it': () => ages({ days: undefined }),
  'pks of found of aging of Post to be a list of partition keys, all text or numbers, got none: add it': () =>
    ages({ found: { ...found, pks: undefined } }),
  "in of found of aging of Post to be 'scan' or 'index', got 'query': correct it": () =>
    ages({ found: { in: 'query' } }),
  'at of element 1 of with of aging of Post to be a function, got none: add it': () =>
    ages({ with: [{ kind: note }] }),
  'kind of aging of a kind to be what defineKind returns, got null: check its import': () =>
    ages({}, null as never),
  "reads of aging of Post to name attributes that the schema of Post lists, got 'Titel': did you mean 'Title'?":
    () => ages({ reads: ['Titel'] }),
  'item of predicate of Post to be a function, got none: add it': () => only({ item: undefined }),
  "reads of predicate of Post to name attributes that the schema of Post lists, got 'Titel': did you mean 'Title'?":
    () => only({ reads: ['Titel'] }),

  "a field of denorm.config.ts, got 'stage': did you mean 'stages'?": () => config({ stage: {} }),
  'table of denorm.config.ts to be an object, got none: add it': () => config({ table: undefined }),
  "sk of table of denorm.config.ts to be the name of an attribute, or { name, type } with the type 'S' or 'N', because binary keys are not supported, got an object: correct it":
    () => config({ table: { ...table, sk: { name: 'SK', type: 'B' } } }),
  'pk of Mine of indexes of table of denorm.config.ts to be a list of 1 to 4 attributes, got one of 5: correct it':
    () => config(indexed({ pk: ['a', 'b', 'c', 'd', 'e'] })),
  "'x' of table of denorm.config.ts to be in a key once, got it twice in ByOwner: correct the names of the table":
    () => config(indexed({ pk: ['x', 'y'], sk: 'x' })),
  "'x' of table of denorm.config.ts to have the same type in every key, got N and S: correct the names of the table":
    () => config({ table: { ...indexed({ sk: 'x' }).table, sk: { name: 'x', type: 'N' } } }),
  "projection of Mine of indexes of table of denorm.config.ts to be 'ALL', got 'KEYS_ONLY': correct it": () =>
    config(indexed({ projection: 'KEYS_ONLY' })),
  "a field of prod of stages of denorm.config.ts, got 'stak': did you mean 'stack'?": () =>
    config({ stages: { prod: { stak: 'x' } } }),
  'rules of denorm.config.ts to be a list, or a function that returns one, got none: check its import': () =>
    config({ rules: undefined }),
  'Shards of parameters of denorm.config.ts to be a zod schema, got 4: correct it': () =>
    config({ parameters: { Shards: 4 } }),
  'disabled of denorm.config.ts to be a list of names of rules, got an object: correct it': () =>
    config({ disabled: {} }),
};

describe('a spec whose types nobody checked is refused:', () => {
  test.each(Object.entries(mistakes))('expected %s', (message, define) => {
    const isAttribute = message.includes('to name attributes');
    const isUnknown = message.startsWith('a field of');

    expect(refusal(define)).toMatchObject({
      code: isAttribute ? 'rule.unknown-attribute' : isUnknown ? 'field.unknown' : 'field.invalid',
      message: `Expected ${message}`,
      rule: /of rule (a|Club Totals)\b/.exec(message)?.[1],
    });
  });

  test.each(['Shelf', 'shelf_on_books', '', '-x', 'x-', 'a--b', 'a b'])('a rule called %j', (name) => {
    expect(refusal(() => rule({ name })).message).toBe(
      `Expected name of rule ${name} to be ${words}, got '${name}': correct it`,
    );
  });

  test('but takes optional fields that are undefined', () => {
    expect(rule({ reads: undefined, when: undefined, derive: undefined, own: undefined })).toMatchObject({
      reads: { root: [], copy: [] },
      derive: {},
    });
  });
});
