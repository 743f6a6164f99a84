import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkRules } from '../../src/check/check-rules.ts';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { rulesOfKeys } from '../../src/model/rules/index-keys.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { bound } from '../fixtures/model/bound.ts';
import { bare } from '../fixtures/model/rules.ts';
import { table } from '../fixtures/model/table.ts';
import { user } from '../fixtures/world/kinds.ts';
import {
  dateOnOrderItems,
  incidentOnParticipations,
  orderOnUserOrder,
  orderStateKeys,
  usernameOnMemberships,
  world,
} from '../fixtures/world/rules.ts';
import { registryOf } from '../fixtures/world/world.ts';

type FromCopy = Parameters<Rule['derive'][string]>[0];

type AnyAt = (root: Parameters<Rule['rootOf']>[0]) => unknown;

function at(rule: Rule, located: AnyAt): Rule {
  return { ...rule, located: { ...rule.located, at: located } as Rule['located'] };
}

function findings(rule: Rule): readonly string[] {
  return checkRules(world(rule)).map(({ about, subject, message }) => {
    expect({ about, subject }).toEqual({ about: 'rules', subject: rule.name });
    return message;
  });
}

test.each([
  ['a boolean', '{Key}', z.boolean()],
  ['a list', '{Key}', z.array(z.string())],
  ['a number below 0, to be padded', '{Key:4}', z.int().max(-1)],
])('keys that a kind declares by %s are found: no item can have them', (_, pk, schema) => {
  const keyed = defineKind({
    ...{ name: 'Keyed', pk: 'KEYED#{id}', sk: 'KEYED', attributes: z.object({ Key: schema }) },
    keys: { ByOwner: { pk: pk as '{Key}', sk: '{id}' } },
  });
  const [finding] = checkRules(registryOf(...rulesOfKeys(table, [keyed])));

  expect(finding?.message).toMatch(
    /^In derive\.OwnerPart of rule keyed-keys: Expected 'Key' of the index key/,
  );
});

test('rules that are right have no findings', () => {
  expect(checkRules(world())).toEqual([]);
  expect(checkRules(loadRules())).toEqual([]);
  expect(checkRules(loadRules({ statusShards: 4 }))).toEqual([]);
});

describe('a location is found wrong', () => {
  test('if no copy has such a partition', () => {
    expect(findings(at(dateOnOrderItems, ({ ids }) => ({ pk: `ORDERS#${ids['order']}` })))).toEqual([
      "Expected located.at of rule date-on-order-items to return a partition of OrderItem, got 'ORDERS#orderA' for an example: keys of OrderItem are 'ORDER#{order}' and 'ITEM#{orderItem}'",
    ]);
  });

  test.each(['ITEMS#', 'orderItem#', 'ITEM-1'])('if no sort key of a copy begins with %j', (begins) => {
    const found = findings(at(dateOnOrderItems, ({ ids }) => ({ pk: `ORDER#${ids['order']}`, begins })));

    expect(found).toEqual([
      `Expected located.at of rule date-on-order-items to return a begins with which a sort key of OrderItem begins, got '${begins}' for an example: keys of OrderItem are 'ORDER#{order}' and 'ITEM#{orderItem}'`,
    ]);
  });

  test.each(['', 'I', 'ITEM#', 'ITEM#1'])('but not if one begins with %j', (begins) => {
    expect(findings(at(dateOnOrderItems, ({ ids }) => ({ pk: `ORDER#${ids['order']}`, begins })))).toEqual(
      [],
    );
  });

  test('if no copy has such a key', () => {
    expect(findings(at(orderOnUserOrder, () => ({ pk: 'USER#1', sk: 'ORDERS#1' })))).toEqual([
      "Expected located.at of rule order-on-user-order to return a key of UserOrder, got 'USER#1' and 'ORDERS#1' for an example: keys of UserOrder are 'USER#{user}' and 'ORDER#{createdAt}'",
    ]);
  });

  test('if begins is misspelt, which would read the whole partition', () => {
    expect(
      findings(at(dateOnOrderItems, ({ ids }) => ({ pk: `ORDER#${ids['order']}`, begin: 'ITEM#' }))),
    ).toEqual([
      "Expected located.at of rule date-on-order-items to return pk, begins, from, to only, got 'begin' too: did you mean 'begins'?",
    ]);
  });

  test('if it returns something else', () => {
    expect(findings(at(dateOnOrderItems, () => []))).toEqual([
      'Expected located.at of rule date-on-order-items to return { pk, begins? } or { pk, from?, to? }, all text, got an array: correct the function. If Order has other values, give it examples',
    ]);
  });

  test('if it reads an id that the root’s keys lack', () => {
    expect(findings(at(incidentOnParticipations, ({ ids }) => ({ pk: `${ids['incidents']}` })))).toEqual([
      "In located.at of rule incident-on-participations: Expected an id of the keys of Incident, got 'incidents': did you mean 'incident'?",
    ]);
  });

  test('if it leaves out an id that the copy’s keys need', () => {
    const participation = incidentOnParticipations.copy.pkPattern;

    expect(
      findings(
        at(incidentOnParticipations, ({ ids }) => ({
          pk: participation.write({ account: ids['account'] ?? '' }),
        })),
      ),
    ).toEqual([
      expect.stringMatching(
        /^In located\.at of rule incident-on-participations: Expected the id 'incident' of the key pattern .* to be text, got none$/,
      ),
    ]);
  });
});

describe('a root that a copy names is found wrong', () => {
  test('if it is not the one whose located.at places the copy', () => {
    const rule: Rule = {
      ...incidentOnParticipations,
      rootOf: ({ ids }) => incidentKey(ids['account'], 'fixed'),
    };

    expect(findings(rule)).toEqual([
      "Expected rootOf of rule incident-on-participations to name the root whose located.at places the copy, got another incident ('fixed', not 'incidentA') for an example",
    ]);
  });

  test('if its ids are exchanged', () => {
    const rule: Rule = {
      ...incidentOnParticipations,
      rootOf: ({ ids }) => incidentKey(ids['incident'], ids['account']),
    };

    expect(findings(rule)).toContainEqual(
      expect.stringContaining("got another account ('incidentA', not 'accountA')"),
    );
  });

  test('if an id of it is that of the copy', () => {
    const rule: Rule = {
      ...dateOnOrderItems,
      rootOf: ({ ids }) => ({ pk: `ORDER#${ids['orderItem']}`, sk: 'ORDER' }),
    };

    expect(findings(rule)).toEqual([
      "Expected rootOf of rule date-on-order-items to name the root whose located.at places the copy, got another order ('orderItemCCC', not 'orderA') for an example",
    ]);
  });

  test('if it is a key of another kind', () => {
    const rule: Rule = {
      ...dateOnOrderItems,
      rootOf: ({ ids }) => ({ pk: `ORDER#${ids['order']}`, sk: 'META' }),
    };

    expect(findings(rule)).toContain(
      "Expected rootOf of rule date-on-order-items to name the root whose located.at places the copy, got the sk 'META' for an example, and that of the root is 'ORDER': return Order.key(…)",
    );
  });

  test('if it is the key of the copy itself', () => {
    const rule: Rule = {
      ...dateOnOrderItems,
      rootOf: ({ ids }) => ({ pk: `ORDER#${ids['order']}`, sk: `ITEM#${ids['orderItem']}` }),
    };

    expect(findings(rule)).toEqual([
      'Expected rootOf of rule date-on-order-items to name the root whose located.at places the copy, got a key of OrderItem for an example: return Order.key(…)',
    ]);
  });

  test('if it is something else, or reads what it does not declare', () => {
    expect(findings({ ...usernameOnMemberships, rootOf: () => null as never })).toEqual([
      'Expected rootOf of rule username-on-memberships to return { pk, sk }, all text, or undefined, got null: correct the function. If Membership has other values, give it examples',
    ]);
    expect(
      findings({ ...usernameOnMemberships, rootOf: ({ Role }) => ({ pk: String(Role), sk: 's' }) }),
    ).toEqual([
      "Rule username-on-memberships reads 'Role' of its copy without declaring it: add it to reads.copy",
    ]);
  });

  test.each<[string, Rule['rootOf']]>([
    ['an attribute of the copy says', ({ UserId }) => ({ pk: `USER#${String(UserId)}`, sk: 'USER' })],
    ['part of an attribute says', ({ UserId }) => ({ pk: `USER#${String(UserId).slice(1)}`, sk: 'USER' })],
    ['an attribute says the whole key', ({ UserId }) => ({ pk: String(UserId), sk: 'USER' })],
    ['no root is named', () => undefined],
    ['it throws on some examples', ({ ids }) => (ids['user']?.endsWith('A') ? JSON.parse('{') : undefined)],
  ])('but not if %s', (_, rootOf) => {
    expect(findings({ ...usernameOnMemberships, rootOf })).toEqual([]);
  });
});

describe('a derived value is found wrong', () => {
  test('whichever of a rule’s functions it is', () => {
    const throws = () => {
      throw new TypeError('x');
    };
    const broken = { OwnerPart: throws, OwnerSort: () => ({}) as never, Other: throws };

    for (const rule of [dateOnOrderItems, orderStateKeys])
      expect(findings({ ...rule, derive: broken })).toEqual([
        expect.stringContaining('Function derive.OwnerPart of'),
        expect.stringContaining('Expected derive.OwnerSort of'),
        expect.stringContaining('Function derive.Other of'),
      ]);
  });

  test('if it is none, on copies and on items that are their own copies', () => {
    expect(findings({ ...dateOnOrderItems, derive: { OwnerSort: () => ({}) as never } })).toEqual([
      'Expected derive.OwnerSort of rule date-on-order-items to return text, a number or undefined, got an object: correct the function. If Order has other values, give it examples',
    ]);
    expect(findings({ ...orderStateKeys, derive: { StatePart: async () => 'x' } as never })).toEqual([
      'Expected derive.StatePart of rule order-state-keys to return text, a number or undefined, got a Promise: correct the function. If Order has other values, give it examples',
    ]);
  });
});

describe('a function that throws', () => {
  const throws = (): never => {
    throw new RangeError('secret');
  };
  const says = (which: string, rule: string, kind: string) => [
    `Function ${which} of rule ${rule} threw RangeError on this item: correct it, or make the schema reject what it cannot use. If ${kind} has other values, give it examples`,
  ];

  test('on every example is found', () => {
    expect(findings({ ...usernameOnMemberships, when: { root: throws } })).toEqual(
      says('when.root', 'username-on-memberships', 'User'),
    );
    expect(findings(at(usernameOnMemberships, throws))).toEqual(
      says('located.at', 'username-on-memberships', 'User'),
    );
    expect(findings({ ...usernameOnMemberships, rootOf: throws })).toEqual(
      says('rootOf', 'username-on-memberships', 'Membership'),
    );
    expect(findings({ ...dateOnOrderItems, derive: { OwnerSort: throws } })).toEqual(
      says('derive.OwnerSort', 'date-on-order-items', 'Order'),
    );
    expect(findings({ ...orderStateKeys, derive: { StatePart: throws } })).toEqual(
      says('derive.StatePart', 'order-state-keys', 'Order'),
    );
  });

  test('is not found if it throws for roots only that when excludes', () => {
    expect(findings(at({ ...usernameOnMemberships, when: { root: () => false } }, throws))).toEqual([]);
  });
});

test.each<[string, Partial<Rule>]>([
  ['derive.OwnerSort', { derive: { OwnerSort: () => Date.now() } }],
  ['derive.OwnerSort', { derive: { OwnerSort: firstThenAgain() } }],
  ['derive.OwnerSort', { derive: { OwnerSort: () => String(Math.random()) } }],
  ['rootOf', { rootOf: () => ({ pk: new Date().toISOString(), sk: 'ORDER' }) }],
  ['when.root', { when: { root: () => Math.random() < 0.2 } }],
])('%s is found if it gives another result at another time: %j', (which, change) => {
  expect(findings({ ...dateOnOrderItems, ...change })).toEqual([
    `${which} of rule date-on-order-items gives two results for the same items: it must not use the time, random numbers, or anything that is kept between calls`,
  ]);
});

test('a rule that creates is found wrong if derive cannot give what is required', () => {
  const badge = defineKind({
    name: 'Badge',
    pk: 'BADGE#{user}',
    sk: 'BADGE',
    attributes: z.object({ Name: z.string(), Text: z.string() }),
  });
  const badges = {
    ...usernameOnMemberships,
    copy: badge,
    located: { in: 'key', at: ({ ids }) => badge.key({ user: ids['user'] ?? '' }) },
    rootOf: ({ ids }) => user.key({ user: ids['user'] ?? '' }),
    reads: { root: [], copy: ['Name'] },
    derive: { Text: ({ copy }) => `${copy['Name']}!` },
    creates: true,
  } satisfies Partial<Rule>;
  const found = (change: Partial<Rule>) =>
    checkRules({ ...world(), rules: [bound({ ...badges, ...change })] }).map(({ message }) => message);

  expect(found({})).toEqual([
    "Expected attribute 'Name' of Badge to be string, found none: of a copy that it creates, derive sees only ids",
  ]);
  expect(found({ creates: false })).toEqual([]);
  expect(found({ derive: { Text: ({ copy }) => copy.ids['user'] } })).toEqual([]);
  const sometimes = { Text: ({ copy }: FromCopy) => (copy.ids['user']?.endsWith('A') ? 'x' : undefined) };
  expect(found({ derive: sometimes })).toEqual([
    'Expected derive.Text of rule username-on-memberships to return a value, because the schema of Badge requires it, got undefined for an example: return one, or make it optional in the schema',
  ]);
  expect(found({ derive: sometimes, creates: false })).toEqual([]);
});

test('functions are tried on values that the schemas accept', () => {
  const seen: unknown[] = [];
  const attributes = z.object({
    State: z.enum(['OPEN', 'DONE']),
    At: z.iso.datetime(),
    Count: z.number().int().min(1_000_000),
    Tags: z.set(z.string()),
    Mail: z.email(),
    Code: z.string().min(40),
    Maybe: z.string().optional(),
    Odd: z.string().regex(/^never-guessed$/),
  });
  const names = ['State', 'At', 'Count', 'Tags', 'Mail', 'Code', 'Maybe'];
  const root = defineKind({ name: 'Root', pk: 'ROOT#{id}', sk: 'ROOT', attributes });
  const rule = bare({
    ...{ name: 'a', root, copies: ['Name'], reads: { root: [...names, 'Odd'], copy: [] } },
    located: {
      in: 'partition',
      at: (view) => {
        seen.push(...names.map((name) => [name, typeof view[name]]));
        return { pk: `Copy#${String(view['Odd'])}` };
      },
    },
  });

  expect(checkRules(registryOf(rule))).toEqual([]);
  expect(seen.slice(0, 7)).toEqual([
    ['State', 'string'],
    ['At', 'string'],
    ['Count', 'number'],
    ['Tags', 'object'],
    ['Mail', 'string'],
    ['Code', 'string'],
    ['Maybe', 'string'],
  ]);
});

/** Only its first result differs. */
function firstThenAgain() {
  let calls = 0;
  return () => {
    calls += 1;
    return calls === 1 ? 'first' : 'again';
  };
}

function incidentKey(account = '', incident = '') {
  return { pk: `acct_${account}#incidents`, sk: `incident_${incident}` };
}
