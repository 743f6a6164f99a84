import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { RuleError } from '../../src/model/errors.ts';
import type { Rule } from '../../src/model/rule.ts';
import { checkDefinitions } from '../../src/model/rule-checks.ts';
import { bare, keyed, kind } from '../fixtures/model/rules.ts';
import { ByOwner, ByState, table } from '../fixtures/model/table.ts';

const anything = () => 'x';
const inOwner: Rule['located'] = { in: 'index', index: ByOwner, at: () => ({ pk: 'p' }) };

describe('a single rule', () => {
  test('may copy and derive attributes that no other rule writes', () => {
    expect(
      refusal(
        bare({ name: 'a', copies: ['Name'], derive: { [ByState.pk]: anything }, located: inOwner }),
        bare({ name: 'b', copies: 'all', own: ['Seat'], unknown: 'remove', copy: kind('Other') }),
      ),
    ).toBeUndefined();
  });

  test.each<[string, Rule, string, string]>([
    [
      'the partition key',
      bare({ name: 'a', copies: ['Part'] }),
      'rule.writes-key',
      "Rule a writes 'Part', a key of the table: remove it from copies or derive",
    ],
    [
      'the sort key',
      bare({ name: 'a', derive: { Sort: anything } }),
      'rule.writes-key',
      "Rule a writes 'Sort', a key of the table: remove it from copies or derive",
    ],
    [
      'the expiry by copying',
      bare({ name: 'a', copies: ['EndsAt'] }),
      'rule.writes-expiry',
      "Rule a writes 'EndsAt', the TTL attribute: remove it from copies or derive",
    ],
    [
      'the expiry by deriving',
      bare({ name: 'a', copies: 'all', derive: { EndsAt: anything } }),
      'rule.writes-expiry',
      "Rule a writes 'EndsAt', the TTL attribute: remove it from copies or derive",
    ],
    [
      'what the copy owns',
      bare({ name: 'a', copies: 'all', own: ['Seat'], derive: { Seat: anything } }),
      'rule.writes-own',
      "Rule a writes 'Seat', which belongs to the copy by own: remove it from own, or from copies and derive",
    ],
    [
      'the partition key of the index that locates its copies',
      bare({ name: 'a', located: inOwner, copies: ['OwnerPart'] }),
      'rule.writes-location',
      "Rule a writes 'OwnerPart', a key of the index that locates its copies: locate them in another way",
    ],
    [
      'the sort key of the index that locates its copies',
      bare({ name: 'a', located: inOwner, derive: { OwnerSort: anything } }),
      'rule.writes-location',
      "Rule a writes 'OwnerSort', a key of the index that locates its copies: locate them in another way",
    ],
  ])('is refused if it writes %s', (_, rule, code, message) => {
    expect(refusal(rule)).toMatchObject({ name: 'RuleError', code, message, rule: 'a' });
  });

  test.each<[string, Rule, string, string]>([
    [
      'it locates by an index that the table does not have',
      bare({
        name: 'a',
        copies: ['Name'],
        located: { in: 'index', index: { ...ByOwner, name: 'ByMoon' }, at: () => ({ pk: 'p' }) },
      }),
      'rule.no-index',
      "Rule a locates copies in the index 'ByMoon', which the table does not have: use one of ByOwner, ByState",
    ],
    [
      'it locates copies in an index under other keys',
      bare({
        name: 'a',
        copies: ['Name'],
        located: {
          in: 'index',
          index: { ...ByOwner, pk: ByOwner.sk, sk: ByOwner.pk },
          at: () => ({ pk: 'p' }),
        },
      }),
      'rule.no-index',
      `Rule a locates copies in the index 'ByOwner' with the keys '${ByOwner.sk}' and '${ByOwner.pk}', but the table has it with '${ByOwner.pk}' and '${ByOwner.sk}': use the index of the table`,
    ],
    [
      'it is its own copy but names another kind',
      bare({ name: 'a', located: { in: 'itself' }, derive: { Label: anything } }),
      'rule.not-itself',
      "Rule a is located in 'itself' but has the root Root and the copy Copy: make both the same kind",
    ],
    [
      'it would delete items for which its when is false',
      itself({ copies: [], derive: { Name: () => 'x' }, when: { root: () => true }, onDelete: 'delete' }),
      'rule.deletes-itself',
      "Rule a would delete items for which its when is false: set onDelete to 'clear' or 'keep'",
    ],
    [
      'it copies an item onto itself',
      itself({ copies: ['Name'] }),
      'rule.copies-itself',
      'Rule a copies attributes of an item to the same item: use derive instead of copies',
    ],
    [
      'it copies all of an item onto itself',
      itself({ copies: 'all' }),
      'rule.copies-itself',
      'Rule a copies attributes of an item to the same item: use derive instead of copies',
    ],
    [
      'it removes the unknown but names what it copies',
      bare({ name: 'a', copies: ['Name'], unknown: 'remove' }),
      'rule.needs-all',
      "Rule a has own or unknown: 'remove' but lists what it copies: remove them, or set copies: 'all'",
    ],
    [
      'it names what is the copy’s own beside what it copies',
      bare({ name: 'a', copies: ['Name'], own: ['Seat'] }),
      'rule.needs-all',
      "Rule a has own or unknown: 'remove' but lists what it copies: remove them, or set copies: 'all'",
    ],
    [
      'its tenant is not in the key of the copy',
      bare({ name: 'a', copies: ['Name'], tenant: 'account', root: keyed('Root', '{account}', 'x') }),
      'rule.no-tenant',
      "Rule a has the tenant 'account', which is not an id in the keys of both root and copy: add {account} to their key patterns",
    ],
  ])('is refused if %s', (_, rule, code, message) => {
    expect(refusal(rule)).toMatchObject({ name: 'RuleError', code, message, rule: 'a' });
  });

  test('may name a tenant that is in the keys of both, in the partition key or the sort key', () => {
    const rule = bare({
      name: 'a',
      copies: ['Name'],
      tenant: 'account',
      root: keyed('Root', '{account}', 'x'),
      copy: keyed('Copy', 'y', '{account}'),
    });

    expect(refusal(rule)).toBeUndefined();
  });

  test('may write the keys of an index that does not locate its copies', () => {
    expect(refusal(bare({ name: 'a', located: inOwner, derive: { StatePart: anything } }))).toBeUndefined();
  });
});

describe('two rules', () => {
  test.each<[string, Partial<Rule>, Partial<Rule>, string]>([
    ['both copy it', { copies: ['Name'] }, { copies: ['Label', 'Name'] }, "'Name'"],
    ['one copies and one derives it', { copies: ['Name'] }, { derive: { Name: anything } }, "'Name'"],
    ['one copies all', { copies: 'all' }, { copies: ['Name'] }, "'Name'"],
    ['the other copies all', { derive: { Name: anything } }, { copies: 'all' }, "'Name'"],
    ['both copy all', { copies: 'all' }, { copies: 'all' }, 'all attributes'],
  ])('are refused for an attribute of the same copy if %s', (_, one, other, what) => {
    const error = refusal(bare({ name: 'a', ...one }), bare({ name: 'b', root: kind('Second'), ...other }));

    expect(error).toMatchObject({ code: 'rule.owned-twice', rule: 'a' });
    expect(error?.message).toBe(
      `Rule a and rule b both write ${what} of Copy: remove it from one of them${[one, other].some(({ copies }) => copies === 'all') ? ", or add it to own of the one with copies: 'all'" : ''}`,
    );
  });

  test('may write the same attribute of other copies', () => {
    expect(
      refusal(
        bare({ name: 'a', copies: ['Name'] }),
        bare({ name: 'b', copies: ['Name'], copy: kind('Other') }),
      ),
    ).toBeUndefined();
  });

  test('may write the same copy if one copies all except what the other writes', () => {
    expect(
      refusal(
        bare({ name: 'a', copies: 'all', own: ['Name'] }),
        bare({ name: 'b', root: kind('Second'), copies: ['Name'] }),
      ),
    ).toBeUndefined();
  });

  test('may write the same copy if one copies all and the other writes an index key', () => {
    expect(
      refusal(
        bare({ name: 'a', copies: 'all' }),
        bare({ name: 'b', root: kind('Second'), derive: { StatePart: anything } }),
      ),
    ).toBeUndefined();
  });
});

describe('a cycle', () => {
  const one = kind('One', z.object({ Name: z.string(), Label: z.string() }));
  const two = kind('Two', z.object({ Name: z.string(), Label: z.string() }));

  test.each<[string, readonly Rule[]]>([
    [
      'an attribute that is copied there and back',
      [
        bare({ name: 'a', root: one, copy: two, copies: ['Name'] }),
        bare({ name: 'b', root: two, copy: one, copies: ['Name'] }),
      ],
    ],
    [
      'an attribute that decides another that decides it',
      [
        bare({
          name: 'a',
          root: one,
          copy: two,
          reads: { root: ['Name'], copy: [] },
          derive: { Label: anything },
        }),
        bare({
          name: 'b',
          root: two,
          copy: one,
          reads: { root: ['Label'], copy: [] },
          derive: { Name: anything },
        }),
      ],
    ],
    [
      'all attributes copied there and back',
      [
        bare({ name: 'a', root: one, copy: two, copies: 'all' }),
        bare({ name: 'b', root: two, copy: one, copies: 'all' }),
      ],
    ],
    [
      'an attribute copied among all and back by name, though no schema lists it',
      [
        bare({ name: 'a', root: one, copy: two, copies: 'all' }),
        bare({ name: 'b', root: two, copy: one, copies: ['Unlisted'] }),
      ],
    ],
    [
      'an attribute of a copy that decides itself',
      [bare({ name: 'a', reads: { root: [], copy: ['Label'] }, derive: { Label: anything } })],
    ],
    [
      'an item that derives what it reads',
      [itself({ reads: { root: ['Label'], copy: ['Label'] }, derive: { Label: anything } })],
    ],
    [
      'three rules in a match',
      [
        bare({ name: 'a', root: one, copy: two, copies: ['Name'] }),
        bare({ name: 'b', root: two, copy: kind('Three'), copies: ['Name'] }),
        bare({ name: 'c', root: kind('Three'), copy: one, copies: ['Name'] }),
      ],
    ],
  ])('is refused: %s', (_, rules) => {
    const error = refusal(...rules);

    expect(error).toMatchObject({ code: 'rule.cyclic' });
    expect(error?.message).toMatch(
      /^Rule [abc] makes an attribute of \w+ depend on itself \(.+ → .+\): .*(remove|let)/,
    );
  });

  test('is described in the error by the attributes and rules in it, without those that lead to it', () => {
    const error = refusal(
      bare({ name: 'lead', root: kind('Zero'), copy: one, copies: ['Name'] }),
      bare({
        ...{ name: 'a', root: one, copy: two, reads: { root: ['Name'], copy: ['Name'] } },
        derive: { Label: anything },
      }),
      bare({ name: 'b', root: two, copy: kind('Three'), copies: ['Label'] }),
      bare({
        ...{ name: 'c', root: kind('Three'), copy: two, reads: { root: ['Label'], copy: [] } },
        derive: { Name: anything },
      }),
    );

    expect(error?.message).toBe(
      'Rule a makes an attribute of Two depend on itself (Two.Label → Three.Label → Two.Name → Two.Label): let one of b, c, a stop reading or writing one of these',
    );
  });

  test('of one attribute says what else a rule that reads what it writes may do', () => {
    expect(
      refusal(bare({ name: 'a', reads: { root: [], copy: ['Label'] }, derive: { Label: anything } }))
        ?.message,
    ).toBe(
      'Rule a makes an attribute of Copy depend on itself (Copy.Label → Copy.Label): remove from reads what the rule writes, and if some copies are to keep their value, let rootOf return undefined for them',
    );
  });

  describe('through items of two kinds', () => {
    const label = z.object({ Name: z.string(), Label: z.string() });
    const pin = (type?: string) => ({ ...kind('Pin', label), type, ...patterns('NOTE#{id}', '{row}') });
    const note = (type?: string) => ({ ...kind('Note', label), type, ...patterns('NOTE#{id}', 'PIN#{row}') });
    const derived = { reads: { root: ['Label'], copy: [] }, derive: { Label: anything } };
    const there = (copy: Rule['copy']) => bare({ name: 'a', root: one, copy, copies: ['Label'] });
    const back = (root: Rule['root']) => bare({ name: 'b', root, copy: one, copies: ['Label'] });

    test.each<[string, readonly Rule[]]>([
      ['neither has a type', [there(pin()), back(note())]],
      ['one has a type', [there(note('Note')), back(pin())]],
      ['both have the same', [there(note('Note')), back(pin('Note'))]],
      ['one rule derives from the other', [bare({ name: 'a', root: pin(), copy: note(), ...derived })]],
    ])('is refused if %s', (_, rules) => {
      expect(refusal(...rules)).toMatchObject({
        code: 'rule.cyclic',
        message: expect.stringMatching(/: an item may be of both (Pin and Note|Note and Pin), so give each/),
      });
    });

    test.each<[string, readonly Rule[]]>([
      ['they have different types', [there(note('Note')), back(pin('Pin'))]],
      ['no key fits both', [there(pin()), back({ ...note(), ...patterns('MEMO#{id}', 'PIN#{row}') })]],
      ['a copy may be its own root', [bare({ name: 'a', root: note(), copy: pin(), copies: ['Label'] })]],
    ])('does not exist if %s', (_, rules) => {
      expect(refusal(...rules)).toBeUndefined();
    });
  });

  test('does not exist if a copy is also a root', () => {
    expect(
      refusal(
        bare({ name: 'a', root: one, copy: two, copies: ['Name'] }),
        bare({ name: 'b', root: two, copy: kind('Three'), copies: ['Name'] }),
        bare({ name: 'c', root: one, copy: kind('Three'), copies: ['Label'] }),
      ),
    ).toBeUndefined();
  });

  test('does not exist if one attribute is copied there and another is copied back', () => {
    expect(
      refusal(
        bare({ name: 'a', root: one, copy: two, copies: ['Name'] }),
        bare({ name: 'b', root: two, copy: one, copies: ['Label'] }),
      ),
    ).toBeUndefined();
  });
});

function patterns(pk: string, sk: string) {
  const { pkPattern, skPattern } = keyed('', pk, sk);
  return { pkPattern, skPattern };
}

/** A rule whose root is its own copy. */
function itself(given: Partial<Rule>): Rule {
  const root = kind('Root');
  return bare({
    name: 'a',
    root,
    copy: root,
    located: { in: 'itself' },
    derive: { Other: anything },
    ...given,
  });
}

test('an index that the table does not have is told the names of its indexes, not the keys of its list', () => {
  const renamed = { ...table, indexes: { owners: { ...ByOwner, name: 'by-owner' } } };

  expect(() =>
    checkDefinitions({
      table: renamed,
      aggregates: [],
      archives: [],
      rules: [bare({ name: 'a', copies: ['Name'], located: inOwner })],
    }),
  ).toThrow("the index 'ByOwner', which the table does not have: use one of by-owner");
});

function refusal(...rules: readonly Rule[]): RuleError | undefined {
  try {
    checkDefinitions({ table, rules, aggregates: [], archives: [] });
    return undefined;
  } catch (error) {
    if (error instanceof RuleError) return error;
    throw error;
  }
}
