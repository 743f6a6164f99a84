import { expect, test } from 'vitest';
import * as z from 'zod';
import type { RuleError } from '../../../src/model/basics/errors.ts';
import type { IndexNames } from '../../../src/model/items/table-names.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import { aging, defineArchive, predicate } from '../../../src/model/rules/archive-rule.ts';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { count } from '../../../src/model/rules/reducers.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import type { Definitions } from '../../../src/model/rules/rule-checks.ts';
import { bare, keyed, kind } from '../../fixtures/model/rules.ts';
import { ByOwner, ByState, table } from '../../fixtures/model/table.ts';
import { day, salesOfDay } from '../../fixtures/world/days.ts';
import { order, orderItem } from '../../fixtures/world/kinds.ts';
import { post, taggedPost } from '../../fixtures/world/posts.ts';
import { contender, contenderTotals } from '../../fixtures/world/totals.ts';

function define({ rules = [], aggregates = [], archives = [], kinds = [] }: Partial<Definitions>) {
  return makeRegistry(table, rules, archives, [], aggregates, kinds);
}

/** The code and the sentence with which definitions are refused; undefined if they are not. */
function refusal(all: () => Partial<Definitions>): string | undefined {
  try {
    define(all());
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ name: 'RuleError', rule: expect.any(String) });
    const { code, message } = error as RuleError;
    return `${code}: ${message}`;
  }
}

const ofRules = (...rules: readonly Rule[]) => refusal(() => ({ rules }));
const totals = (change: Partial<Aggregate>, ...rules: readonly Rule[]) =>
  refusal(() => ({ rules, aggregates: [{ ...contenderTotals, ...change }] }));

/** An aggregate that makes days, with others beside it. */
const made = (change: Partial<Aggregate>, ...others: readonly (Rule | Aggregate)[]) =>
  refusal(() => ({
    rules: others.filter((one) => one.is === 'rule'),
    aggregates: [{ ...salesOfDay('delete'), ...change }, ...others.filter((one) => one.is === 'aggregate')],
  }));
const { Sales, Revenue } = day.attributes.shape;
const withNote = { ...day, attributes: z.object({ Sales, Revenue, Note: z.string() }) };

const anything = () => 'x';
const at = () => ({ pk: 'p' });
const inIndex = (index: IndexNames): Rule['located'] => ({ in: 'index', index, at });
const inOwner = inIndex(ByOwner);
const moon = { ...ByOwner, name: 'ByMoon' };
const swapped = { ...ByOwner, pk: ByOwner.sk, sk: ByOwner.pk };
const rule = (change: Partial<Rule>) => ofRules(bare({ name: 'a', copies: ['Name'], ...change }));
const root = kind('Root');
/** A rule whose root is its own copy. */
const itself = (change: Partial<Rule>) =>
  bare({ name: 'a', root, copy: root, located: { in: 'itself' }, derive: { Other: anything }, ...change });
const both = (one: Partial<Rule>, other: Partial<Rule>) =>
  ofRules(bare({ name: 'a', ...one }), bare({ name: 'b', root: kind('Second'), ...other }));
const account = keyed('Root', '{account}', 'x');

const found = { in: 'index', index: ByState, pks: ['x'], until: () => 'x' } as const;
const ages = (change: object) =>
  aging(order, { ...{ reads: [], when: () => true, since: () => 0, days: 1, found }, ...change } as never);
const archive = (change: object) => defineArchive({ name: 'a', kinds: [order], ...change } as never);
const archives = (...all: readonly object[]) => refusal(() => ({ archives: all.map(archive) }));
const orderItems = [{ kind: orderItem, at: () => ({ in: 'partition', pk: 'x' }) }];

/** A rule as its author writes it: of posts, on their tags. */
const written = { name: 'a', root: post, copy: taggedPost, located: { in: 'key', at }, rootOf: at };
const defined = (change: object) =>
  refusal(() => {
    const spec = { ...written, copies: ['Title'], onDelete: 'keep', onExpire: 'keep', ...change };
    return { rules: [defineRule(spec as never)] };
  });
const created = (change: object) => defined({ creates: true, ...change });
const ofTitle = z.object({ Title: z.string(), Note: z.string() });
const noted = defineKind({ name: 'Noted', pk: 'TAG#{tag}', sk: 'POST#{post}', attributes: ofTitle });
const untitled = { ...post, attributes: post.attributes.extend({ Title: z.string().optional() }) };
const lacking =
  "'Title' of Post, which only the schema of TaggedPost requires: require it in both schemas, or in neither";
const computed = (change: object) => {
  const members = { in: 'partition', at };
  const spec = { name: 'a', of: post, on: post, members, targetsOf: () => [], computes: { Title: count() } };
  return refusal(() => ({ aggregates: [defineAggregate({ ...spec, ...change } as never)] }));
};
const orOwn = ", or add it to own of the one with copies: 'all'";
const keysOf = `the keys '${swapped.pk}' and '${swapped.sk}', but the table has it with '${ByOwner.pk}' and '${ByOwner.sk}'`;

const mistakes: Readonly<Record<string, () => string | undefined>> = {
  "rule.no-ledger: Rule contender-totals has a ledger, whose items would be taken for Any, because the pattern '{any}' fits their partition keys, '~contender-totals#{shard}#{target}': give Any a type, or a pk that begins with a text of its own":
    () =>
      totals(
        { ledger: { shards: 1 } },
        bare({ name: 'a', root: keyed('Any', '{any}', '{thing}'), copies: ['Name'] }),
      ),
  'rule.rootless: Rule a has no way from a copy to its root: add rootOf': () =>
    defined({ rootOf: undefined }),
  "rule.idle: Rule a writes nothing: add copies or derive, or set onDelete to 'delete' if it only removes copies":
    () => defined({ copies: [], onExpire: 'clear' }),
  "rule.owned-twice: Rule a writes 'Title' twice: remove it from copies or derive, or rename one in copies":
    () =>
      defined({ copies: { Title: 'Title', Tags: 'Title' } }) &&
      defined({ copies: ['Title'], derive: { Title: anything } }) &&
      defined({ copies: { Tags: 'Title' }, derive: { Title: anything } }),
  "rule.creates-part: Rule sales-of-day creates Day without 'Note', which its schema requires: add it to computes, or make it optional in the schema":
    () => made({ on: withNote }),
  'rule.made-twice: Rule sales-of-day and rule b both create Day, and neither could tell whose an item is: remove creates from one of them':
    () => made({}, { ...salesOfDay('keep'), name: 'b', computes: { Note: count() } }),
  "rule.made-twice: Rule sales-of-day creates Day, which rule a deletes, so that each would undo what the other does: set the removal policies of a to 'clear' or 'keep'":
    () => made({}, bare({ name: 'a', root, copy: day, copies: ['Note'], onExpire: 'delete' })),
  'rule.cannot-create: Rule sales-of-day creates Day, which has no type to tell it from Wide, whose keys may be the same: give Day a type, or keys of its own':
    () =>
      made(
        { on: { ...day, type: undefined } },
        bare({ name: 'a', root, copy: keyed('Wide', 'SHOP#{shop}', 'DAY#{x}'), copies: ['Name'] }),
      ),
  'rule.cyclic: Rule sales-of-day makes an attribute of Day depend on itself (Day.(existence) → Day.(existence)): remove from reads what the rule writes, and if some copies are to keep their value, let rootOf return undefined for them':
    () => made({ of: day, reads: { member: [], target: [] } }),
  'rule.idle: Rule a computes nothing: add an attribute to computes': () => computed({ computes: {} }),
  'rule.idle: Rule a computes nothing: add a location to members': () => computed({ members: [] }),
  "rule.cannot-create: Rule a creates copies, but does not list their keys: locate them in 'key' or 'keys', or remove creates":
    () => created({ located: { in: 'partition', at } }),
  "rule.creates-part: Rule a creates Noted without 'Note', which its schema requires: add it to copies or derive, or make it optional in the schema":
    () => created({ copy: noted }),
  [`rule.creates-part: Rule a creates TaggedPost with ${lacking}`]: () =>
    created({ root: untitled }) && created({ root: untitled, copies: 'all' }),
  "rule.writes-key: Rule a writes 'Part', a key of the table: remove it from copies or derive": () =>
    rule({ copies: ['Part'] }),
  "rule.writes-key: Rule a writes 'Sort', a key of the table: remove it from copies or derive": () =>
    rule({ derive: { Sort: anything } }),
  "rule.writes-expiry: Rule a writes 'EndsAt', the TTL attribute: remove it from copies or derive": () =>
    rule({ copies: 'all', derive: { EndsAt: anything } }),
  "rule.writes-own: Rule a writes 'Seat', which belongs to the copy by own: remove it from own, or from copies and derive":
    () => rule({ copies: 'all', own: ['Seat'], derive: { Seat: anything } }),
  "rule.writes-location: Rule a writes 'OwnerPart', a key of the index that locates its copies: locate them in another way":
    () => rule({ located: inOwner, copies: ['OwnerPart'] }),
  "rule.writes-location: Rule a writes 'OwnerSort', a key of the index that locates its copies: locate them in another way":
    () => rule({ located: inOwner, derive: { OwnerSort: anything } }),
  "rule.no-index: Rule a locates copies in the index 'ByMoon', which the table does not have: use one of ByOwner, ByState":
    () => rule({ located: inIndex(moon) }),
  [`rule.no-index: Rule a locates copies in the index 'ByOwner' with ${keysOf}: use the index of the table`]:
    () => rule({ located: inIndex(swapped) }),
  "rule.not-itself: Rule a is located in 'itself' but has the root Root and the copy Copy: make both the same kind":
    () => rule({ located: { in: 'itself' } }),
  "rule.deletes-itself: Rule a would delete items for which its when is false: set onDelete to 'clear' or 'keep'":
    () => ofRules(itself({ when: { root: () => true }, onDelete: 'delete' })),
  'rule.copies-itself: Rule a copies attributes of an item to the same item: use derive instead of copies':
    () => ofRules(itself({ copies: ['Name'] })) && ofRules(itself({ copies: 'all' })),
  "rule.needs-all: Rule a has own or unknown: 'remove' but lists what it copies: remove them, or set copies: 'all'":
    () => rule({ unknown: 'remove' }) && rule({ own: ['Seat'] }),
  "rule.no-tenant: Rule a has the tenant 'account', which is not an id in the keys of both root and copy: add {account} to their key patterns":
    () => rule({ tenant: 'account', root: account }),
  "rule.owned-twice: Rule a and rule b both write 'Name' of Copy: remove it from one of them": () =>
    both({ copies: ['Name'] }, { copies: ['Label', 'Name'] }) &&
    both({ copies: ['Name'] }, { derive: { Name: anything } }),
  [`rule.owned-twice: Rule a and rule b both write 'Name' of Copy: remove it from one of them${orOwn}`]: () =>
    both({ copies: 'all' }, { copies: ['Name'] }) && both({ derive: { Name: anything } }, { copies: 'all' }),
  [`rule.owned-twice: Rule a and rule b both write all attributes of Copy: remove it from one of them${orOwn}`]:
    () => both({ copies: 'all' }, { copies: 'all' }),

  "rule.writes-key: Rule contender-totals writes 'Part', a key of the table: remove it from computes": () =>
    totals({ computes: { Part: count() } }),
  "rule.writes-expiry: Rule contender-totals writes 'EndsAt', the TTL attribute: remove it from computes":
    () => totals({ computes: { EndsAt: count() } }),
  "rule.writes-key: Rule contender-totals writes 'OwnerSort', a key of an index: compute another attribute, and derive the key from it by a rule":
    () => totals({ computes: { OwnerSort: count() } }),
  "rule.no-index: Rule contender-totals finds members in the index 'ByMoon', which the table does not have: use one of ByOwner, ByState":
    () => totals({ members: [{ in: 'index', index: moon, at }] }),
  "rule.owned-twice: Rule contender-totals and rule others both write 'Matches' of Contender: remove it from one of them":
    () => refusal(() => ({ aggregates: [contenderTotals, { ...contenderTotals, name: 'others' }] })),
  "rule.owned-twice: Rule contender-keys and rule contender-totals both write 'Points' of Contender: remove it from one of them":
    () =>
      totals(
        {},
        {
          ...itself({ name: 'contender-keys', root: contender, copy: contender }),
          derive: { Points: anything },
        },
      ),

  "field.invalid: Rule a has pks that are no partition keys of the index 'ByState': give StatePart as text in each":
    () => archives({ ages: ages({ found: { ...found, pks: [1] } }) }),
  "rule.no-index: Rule a finds aged items in the index 'ByMoon', which the table does not have: use one of ByOwner, ByState":
    () => archives({ ages: ages({ found: { ...found, index: moon } }) }),
  'rule.archived-twice: Rule b and rule a both archive Order: remove it from one of them': () =>
    archives({}, { name: 'b' }),
  'rule.when-unarchived: Rule a says which OrderItem to archive but archives none: add it to kinds, or remove its predicate':
    () => archives({ when: [predicate(orderItem, { reads: [], item: () => true })] }),
  "rule.cannot-erase: Rule a cannot erase single items from the objects that they share in the layout 'batch': use the layout 'object', or another onDelete":
    () => archives({ layout: 'batch', onDelete: 'erase' }),
  'rule.ages-unarchived: Rule a lets Order expire but does not archive it: add it to kinds': () =>
    archives({ kinds: [orderItem], ages: ages({}) }),
  'rule.ages-unarchived: Rule a lets OrderItem expire but does not archive it: add it to kinds': () =>
    archives({ ages: ages({ with: orderItems }) }),
  'rule.ageless: Expected days of rule a to be a number above 0, got 0': () =>
    archives({ ages: ages({ days: 0 }) }),
  'rule.idle: Rule a archives nothing: add a kind to kinds': () => archives({ kinds: [] }),
};

test('an aggregate that creates targets with a rule may be alone, as in its tests', () => {
  const noting = bare({ name: 'noting', copy: withNote, copies: ['Note'] });
  const making = { ...salesOfDay('delete'), on: withNote };
  const { aggregates } = define({ rules: [noting], aggregates: [making] });

  expect(() => define({ aggregates })).not.toThrow();
  expect(() => define({ aggregates: [making] })).toThrow("without 'Note'");
});

test.each(Object.entries(mistakes))('definitions are refused: %s', (message, refused) => {
  expect(refused()).toBe(message);
});

test('an unknown index is told the names of the table’s indexes', () => {
  const renamed = { ...table, indexes: { owners: { ...ByOwner, name: 'by-owner' } } };

  expect(() => makeRegistry(renamed, [bare({ name: 'a', copies: ['Name'], located: inOwner })])).toThrow(
    /the index 'ByOwner', which the table does not have: use one of by-owner$/,
  );
});

test('two kinds of one name are refused if their keys or types differ', () => {
  const named = (pk: string) =>
    defineArchive({ name: `of-${pk}`, kinds: [keyed('Note', `${pk}#{id}`, 'x')] });
  const load = (...pks: string[]) => define({ archives: pks.map(named) });

  const typed = (type: string) => ({ ...keyed('Note', '{id}', 'x'), type });
  const archived = ['a', 'b'].map((type) => defineArchive({ name: `of-${type}`, kinds: [typed(type)] }));
  expect(() => define({ archives: archived })).toThrow('got {id} / x (a) and {id} / x (b)');
  expect(() => load('a', 'b')).toThrow(
    'Expected one kind called Note, got a#{id} / x (no type) and b#{id} / x (no type): rename one',
  );
});

test.each<[string, () => string | undefined]>([
  [
    'copy and derive attributes that no other rule writes',
    () =>
      ofRules(
        bare({ name: 'a', copies: ['Name'], derive: { [ByState.pk]: anything }, located: inOwner }),
        bare({ name: 'b', copies: 'all', own: ['Seat'], unknown: 'remove', copy: kind('Other') }),
      ),
  ],
  [
    'name a tenant that is in the keys of both, in the partition key or the sort key',
    () => rule({ tenant: 'account', root: account, copy: keyed('Copy', 'y', '{account}') }),
  ],
  ['write it on other copies', () => both({ copies: ['Name'] }, { copies: ['Name'], copy: kind('Other') })],
  ['copy all except what another writes', () => both({ copies: 'all', own: ['Name'] }, { copies: ['Name'] })],
  [
    'create copies by a schema that throws where there is no value',
    () => {
      const title = z.preprocess((value) => Object(value).toIsoString(), z.string());
      const [root, copy] = [post, taggedPost].map((one) => ({
        ...one,
        attributes: one.attributes.extend({ Title: title }),
      }));
      return created({ root, copy });
    },
  ],
  ['copy all beside an index key', () => both({ copies: 'all' }, { derive: { StatePart: anything } })],
])('rules may %s', (_, refused) => {
  expect(refused()).toBeUndefined();
});
