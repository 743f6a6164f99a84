import { describe, expect, test } from 'vitest';
import type { Derived } from '../../src/model/items/attribute-value.ts';
import { type Item, keyIn } from '../../src/model/items/item.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { differencesFrom, project, RootProjection } from '../../src/plan/projection.ts';
import { bound } from '../fixtures/model/bound.ts';
import { item, value } from '../fixtures/model/items.ts';
import { table } from '../fixtures/model/table.ts';
import {
  aMembership,
  anIncident,
  anOrder,
  anOrderItem,
  aParticipation,
  aUser,
} from '../fixtures/world/items.ts';
import { aPost, aTagged, titleOnTags, titleOnTagsThat } from '../fixtures/world/posts.ts';
import {
  dateOnOrderItems,
  incidentOnParticipations,
  orderStateKeys,
  usernameOnMemberships,
} from '../fixtures/world/rules.ts';
import { refusal } from '../suites/refusal.ts';

const participation = aParticipation('g');
const membership = aMembership('s');

/** What the rule's attributes of a copy should be. */
function projected(rule: Rule, root: Item, copy: Item) {
  return Object.fromEntries(project(bound(rule), root, copy));
}

/** A rule that derives this attribute of the root alone. */
function deriving(name: string, derive: () => Derived | undefined): Rule {
  const reads = { root: [], copy: [] };
  return { ...usernameOnMemberships, reads, rootOf: () => keyIn(table, aUser()), derive: { [name]: derive } };
}

const aByte = (byte: number) => Uint8Array.of(byte);

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`attribute-${index}`, 'x']));
}

describe('a rule that copies by name', () => {
  const renaming: Rule = { ...usernameOnMemberships, copies: ['Owner'], renamed: { Owner: 'Name' } };

  test('copies nothing else, under the name that the copy has for it', () => {
    expect(projected(usernameOnMemberships, aUser(), membership)).toEqual(item({ Name: 'Johanna' }));
    expect(projected(renaming, aUser(), membership)).toEqual(item({ Owner: 'Johanna' }));
  });

  test('takes from the copy what its root may lack, and lacks', () => {
    const byNoSchema: Rule = { ...usernameOnMemberships, copies: ['constructor'] };

    expect(projected(byNoSchema, aUser(), membership)).toStrictEqual({ constructor: undefined });
    expect(projected({ ...byNoSchema, copies: ['StatePart'] }, aUser(), membership)).toStrictEqual({
      StatePart: undefined,
    });
  });

  test.each([
    ['its own name', usernameOnMemberships],
    ['the name that the copy has for it', renaming],
  ])('refuses a root without what its schema requires, for each copy, by %s', (_, rule) => {
    const projection = new RootProjection(bound(rule), aUser({ Name: undefined }));

    for (const copy of [membership, aMembership('t')])
      expect(refusal(() => projection.on(copy))).toMatchObject({ code: 'root.invalid', concerns: 'root' });
  });
});

describe('a rule that copies all attributes', () => {
  const mirror: Rule = { ...incidentOnParticipations, derive: {} };
  const strange = {
    Kind: 'x',
    EndsAt: 1,
    OwnerPart: 'a',
    StateSort: 'b',
    Note: 'mine',
    'aws:rep:region': 'r',
  };

  test('copies no key, index key, expiry, attribute of the copy alone or of replication', () => {
    expect(projected(mirror, anIncident(strange), participation)).toEqual(
      item({ Kind: 'x', State: 'OPEN', CreatedAt: 100, Lead: 'Dana' }),
    );
  });

  test('copies no type that tells root or copy from other kinds', () => {
    const typed: Rule = { ...usernameOnMemberships, copies: 'all' };

    expect(projected(typed, aUser(), membership)).toEqual(item({ Name: 'Johanna', Rank: 'member' }));
  });

  test.each<[string, Rule['derive'], string | undefined]>([
    ['of the root', { Lead: () => 'derived' }, 'derived'],
    ['as nothing', { Lead: () => undefined }, undefined],
    ['of the copy', { Lead: ({ copy }) => copy.ids['user'] }, 'g'],
  ])('leaves to derive what it derives, whatever root and copy have: %s', (_, derive, lead) => {
    const expected = { ...item({ State: 'OPEN', CreatedAt: 100 }), Lead: lead && value(lead) };

    for (const root of [anIncident(), anIncident({ Lead: undefined })])
      expect(projected({ ...mirror, derive }, root, participation)).toStrictEqual(expected);
  });

  test.each(['remove', 'keep'] as const)(
    'does as unknown says with what only the copy has: %s',
    (unknown) => {
      const copy = aParticipation('g', { ...strange, Stray: 1 });
      const lost = Object.entries(projected({ ...mirror, unknown }, anIncident(), copy))
        .filter(([, one]) => one === undefined)
        .map(([name]) => name);

      expect(lost).toEqual(unknown === 'remove' ? ['Kind', 'Stray'] : []);
    },
  );
});

describe('what a rule derives', () => {
  test('is derived once of the root alone, and for each copy of root and copy', () => {
    const derived: string[] = [];
    const rule: Rule = {
      ...dateOnOrderItems,
      derive: {
        OwnerPart: ({ copy }) => `PRODUCT#${derived.push('copy') && copy['ProductId']}`,
        OwnerSort: ({ root }) => `ITEM#${derived.push('root') && root['CreatedAt']}`,
      },
    };
    const projection = new RootProjection(bound(rule), anOrder());

    const parts = ['p', 'q', 'p'].map((ProductId) =>
      Object.fromEntries(projection.on(anOrderItem({ ProductId }))),
    );

    expect(parts).toEqual(
      ['p', 'q', 'p'].map((one) => item({ OwnerPart: `PRODUCT#${one}`, OwnerSort: 'ITEM#2026-01-15' })),
    );
    expect(derived.toSorted()).toEqual(['copy', 'copy', 'copy', 'root']);
  });

  test('is derived of the own key of each copy of a page', () => {
    const rule: Rule = { ...titleOnTagsThat('keep'), derive: { Tag: ({ copy }) => copy.ids['tag'] } };
    const projection = new RootProjection(bound(rule), aPost(['a', 'b']));

    expect(['a', 'b'].map((tag) => projection.on(aTagged(tag)).get('Tag'))).toEqual([{ S: 'a' }, { S: 'b' }]);
  });

  test('sees no attribute of a copy that the rule creates, whether it was there or not', () => {
    const reads = { root: ['Tags'], copy: ['Pinned'] };
    const rule = (creates: boolean): Rule => ({
      ...{ ...titleOnTags, creates, reads },
      derive: { Tag: ({ copy }) => (copy['Pinned'] === true ? 'pinned' : copy.ids['tag']) },
    });
    const pinned = { ...aTagged('a'), Pinned: { BOOL: true } } as Item;

    expect(projected(rule(false), aPost(['a']), pinned)).toMatchObject(item({ Tag: 'pinned' }));
    expect(projected(rule(true), aPost(['a']), pinned)).toMatchObject(item({ Tag: 'a' }));
  });
});

describe('a root that its rule does not apply to', () => {
  const excluding: Rule = { ...orderStateKeys, when: { root: () => false } };

  test.each([
    ['clear', { StatePart: undefined, StateSort: undefined }],
    ['delete', {}],
    ['keep', {}],
  ] as const)('loses as its own copy what the policy says: %s', (onDelete, cleared) => {
    expect(projected({ ...excluding, onDelete }, anOrder(), anOrder())).toStrictEqual(cleared);
  });

  test('need not say where its copies are, nor have what is copied', () => {
    const unlocatable: Rule = { ...dateOnOrderItems, located: { in: 'key', at: () => ({ pk: '', sk: '' }) } };
    const projection = (when: boolean) =>
      new RootProjection(bound({ ...unlocatable, when: { root: () => when } }), anOrder());

    expect(() => projection(false).requireLocation()).not.toThrow();
    expect(refusal(() => projection(true).requireLocation()).code).toBe('root.unlocatable');
  });
});

test.each<[string, Item, readonly string[]]>([
  [
    'not by the spelling of a number, or the order of a set',
    { N: { N: '1.0' }, Set: { SS: ['b', 'a'] } },
    [],
  ],
  ['by another value, and by one of another type', { N: { S: '1' }, Set: { SS: ['a'] } }, ['N', 'Set']],
  ['by what it lacks', {}, ['N', 'Set']],
  [
    'by what it has and should not',
    { N: { N: '1' }, Set: { SS: ['a', 'b'] }, Gone: { NULL: true } },
    ['Gone'],
  ],
  ['not by what the rule does not write', { N: { N: '1' }, Set: { SS: ['a', 'b'] }, Own: { S: 'x' } }, []],
])('a copy differs from its projection %s', (_, copy, differing) => {
  const projection = new Map([
    ['N', { N: '1' }],
    ['Set', { SS: ['a', 'b'] }],
    ['Gone', undefined],
    ['constructor', undefined],
  ]);

  expect(differencesFrom(projection, copy)).toEqual(differing);
});

describe('a root that cannot be projected concerns all its copies', () => {
  const throwing = deriving('Label', () => {
    throw new RangeError('secret');
  });
  const threw = /^Function derive.Label of rule username-on-memberships threw RangeError on/;

  test.each<[string, Rule, Item, Item, string, RegExp?]>([
    [
      'it lacks what a derivation reads',
      incidentOnParticipations,
      anIncident({ State: undefined }),
      participation,
      'root.invalid',
    ],
    [
      'it holds it in another type',
      incidentOnParticipations,
      anIncident({ CreatedAt: 'soon' }),
      participation,
      'root.invalid',
    ],
    [
      'it holds what its schema does not take',
      incidentOnParticipations,
      anIncident({ State: '' }),
      participation,
      'root.invalid',
    ],
    ['a derivation of it alone throws', throwing, aUser(), membership, 'rule.threw', threw],
  ])('if %s', (_, rule, root, copy, code, message = /./) => {
    const error = refusal(() => projected(rule, root, copy));

    expect(error).toMatchObject({
      name: 'InvalidItemError',
      code,
      concerns: 'root',
      key: keyIn(table, root),
    });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('secret');
  });

  test('if an index key would be too long for DynamoDB, reported without its content', () => {
    const long = anOrder({ Status: 'secret'.repeat(400) });
    const error = refusal(() => projected(orderStateKeys, long, long));

    expect(error).toMatchObject({ code: 'root.invalid', key: keyIn(table, anOrder()) });
    expect(error.message).toBe(
      "Rule order-state-keys derives a value of 'StatePart' that DynamoDB rejects: expected text of 1 to 2048 bytes, as an index key must be",
    );
  });

  test.each([
    ['StateSort', 'x'.repeat(1025), 'x'.repeat(1024), 'must be'],
    ['StatePart', 'x'.repeat(2049), 'x'.repeat(2048), 'must be'],
    ['StateSort', '', 's', 'must be'],
    ['StatePart', 7, '7', 'must be, got a number'],
    ['Ratio', Number.NaN, 0.1, 'in a set, got NaN'],
    ['Ratio', Number.POSITIVE_INFINITY, 0, 'in a set, got Infinity'],
    ['Ratio', new Set([1, 10n ** 40n + 1n]), new Set([1, 2]), 'in a set'],
    ['Ratio', new Set([1, 1n]), new Set([1n]), 'in a set'],
    ['Ratio', new Set([aByte(1), aByte(1)]), new Set([aByte(1), aByte(2)]), 'in a set'],
    ['Ratio', ['x', Number.NaN], ['x', 1], 'in a set'],
    ['Ratio', { a: 1, b: [{ c: Number.NaN }] }, { a: 1, b: [{ c: 'NaN' }] }, 'in a set'],
  ])('if DynamoDB rejects what is derived as %s', (name, rejected, accepted, end) => {
    const key = keyIn(table, aUser());
    const error = refusal(() =>
      projected(
        deriving(name, () => rejected),
        aUser(),
        membership,
      ),
    );

    expect(error).toMatchObject({ code: 'root.invalid', concerns: 'root', key });
    expect(error.message.endsWith(end)).toBe(true);
    expect(
      projected(
        deriving(name, () => accepted),
        aUser(),
        membership,
      )[name],
    ).toEqual(value(accepted));
  });

  test('if a number is due in an index key, and something else is derived', () => {
    const ByRank = { name: 'ByRank', pk: 'RankPart', sk: { name: 'Ranking', type: 'N' } } as const;
    const names = { ...table, indexes: { ...table.indexes, ByRank } };
    const ranked = (rank: Derived) =>
      project(
        bound(
          deriving('Ranking', () => rank),
          names,
        ),
        aUser(),
        membership,
      );

    expect(refusal(() => ranked('first')).message).toMatch(
      /expected a number of at most 38 digits, as this index key must be$/,
    );
    expect(ranked(1).get('Ranking')).toEqual({ N: '1' });
  });

  test('if what is copied under another name cannot be an index key', () => {
    const rule: Rule = { ...usernameOnMemberships, copies: ['StatePart'], renamed: { StatePart: 'Name' } };
    const named = (name: string) => projected(rule, aUser({ Name: name }), membership);

    expect(refusal(() => named(''))).toMatchObject({
      code: 'root.invalid',
      message: expect.stringContaining("copies a value of 'StatePart' that DynamoDB rejects"),
    });
    expect(named('Ada')).toEqual(item({ StatePart: 'Ada' }));
  });

  test('if it has more than 500 copied attributes, before any is written', () => {
    const copied = new RootProjection(bound(incidentOnParticipations), anIncident()).copiedNames.length;
    const wide = (count: number) =>
      projected(incidentOnParticipations, anIncident(many(count)), participation);

    expect(Object.keys(wide(500 - copied))).toContain('attribute-0');
    expect(refusal(() => wide(501 - copied))).toMatchObject({
      ...{ code: 'root.too-many-attributes', concerns: 'root' },
      message: expect.stringContaining('this root has 501 of them: expected at most 500'),
    });
  });
});
