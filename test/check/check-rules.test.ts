import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkRules } from '../../src/check/check-rules.ts';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { rulesOfKeys } from '../../src/model/rules/index-keys.ts';
import { makeRegistry } from '../../src/model/rules/registry.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { sailor } from '../fixtures/cruises/cruise-kinds.ts';
import {
  cruises,
  dateOnLegs,
  nameOnCrew,
  ticketOnGuestTicket,
  ticketStateKeys,
  voyageOnBookings,
} from '../fixtures/cruises/cruise-rules.ts';
import { bound } from '../fixtures/model/bound.ts';
import { bare } from '../fixtures/model/rules.ts';
import { table } from '../fixtures/model/table.ts';

type FromCopy = Parameters<Rule['derive'][string]>[0];

type AnyAt = (root: Parameters<Rule['rootOf']>[0]) => unknown;

function at(rule: Rule, located: AnyAt): Rule {
  return { ...rule, located: { ...rule.located, at: located } as Rule['located'] };
}

function findings(rule: Rule): readonly string[] {
  return checkRules(cruises(rule)).map(({ about, subject, message }) => {
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
  const [finding] = checkRules(makeRegistry(table, rulesOfKeys(table, [keyed])));

  expect(finding?.message).toMatch(
    /^In derive\.OwnerPart of rule keyed-keys: Expected 'Key' of the index key/,
  );
});

test('rules that are right have no findings', () => {
  expect(checkRules(cruises())).toEqual([]);
  expect(checkRules(loadRules())).toEqual([]);
  expect(checkRules(loadRules({ statusShards: 4 }))).toEqual([]);
});

describe('a location is found wrong', () => {
  test('if no copy has such a partition', () => {
    expect(findings(at(dateOnLegs, ({ ids }) => ({ pk: `TICKETS#${ids['ticket']}` })))).toEqual([
      "Expected located.at of rule date-on-legs to return a partition of Leg, got 'TICKETS#ticketA' for an example: keys of Leg are 'TICKET#{ticket}' and 'LEG#{leg}'",
    ]);
  });

  test.each(['LEGS#', 'leg#', 'LEG-1'])('if no sort key of a copy begins with %j', (begins) => {
    const found = findings(at(dateOnLegs, ({ ids }) => ({ pk: `TICKET#${ids['ticket']}`, begins })));

    expect(found).toEqual([
      `Expected located.at of rule date-on-legs to return a begins with which a sort key of Leg begins, got '${begins}' for an example: keys of Leg are 'TICKET#{ticket}' and 'LEG#{leg}'`,
    ]);
  });

  test.each(['', 'L', 'LEG#', 'LEG#1'])('but not if one begins with %j', (begins) => {
    expect(findings(at(dateOnLegs, ({ ids }) => ({ pk: `TICKET#${ids['ticket']}`, begins })))).toEqual([]);
  });

  test('if no copy has such a key', () => {
    expect(findings(at(ticketOnGuestTicket, () => ({ pk: 'GUEST#1', sk: 'TICKETS#1' })))).toEqual([
      "Expected located.at of rule ticket-on-guest-ticket to return a key of GuestTicket, got 'GUEST#1' and 'TICKETS#1' for an example: keys of GuestTicket are 'GUEST#{guest}' and 'TICKET#{soldAt}'",
    ]);
  });

  test('if begins is misspelt, which would read the whole partition', () => {
    expect(findings(at(dateOnLegs, ({ ids }) => ({ pk: `TICKET#${ids['ticket']}`, begin: 'LEG#' })))).toEqual(
      [
        "Expected located.at of rule date-on-legs to return pk, begins, from, to only, got 'begin' too: did you mean 'begins'?",
      ],
    );
  });

  test('if it returns something else', () => {
    expect(findings(at(dateOnLegs, () => []))).toEqual([
      'Expected located.at of rule date-on-legs to return { pk, begins? } or { pk, from?, to? }, all text, got an array: correct the function. If Ticket has other values, give it examples',
    ]);
  });

  test('if it reads an id that the root’s keys lack', () => {
    expect(findings(at(voyageOnBookings, ({ ids }) => ({ pk: `${ids['voyages']}` })))).toEqual([
      "In located.at of rule voyage-on-bookings: Expected an id of the keys of Voyage, got 'voyages': did you mean 'voyage'?",
    ]);
  });

  test('if it leaves out an id that the copy’s keys need', () => {
    const booking = voyageOnBookings.copy.pkPattern;

    expect(
      findings(at(voyageOnBookings, ({ ids }) => ({ pk: booking.write({ line: ids['line'] ?? '' }) }))),
    ).toEqual([
      expect.stringMatching(
        /^In located\.at of rule voyage-on-bookings: Expected the id 'voyage' of the key pattern .* to be text, got none$/,
      ),
    ]);
  });
});

describe('a root that a copy names is found wrong', () => {
  test('if it is not the one whose located.at places the copy', () => {
    const rule: Rule = { ...voyageOnBookings, rootOf: ({ ids }) => voyageKey(ids['line'], 'fixed') };

    expect(findings(rule)).toContain(
      "Expected rootOf of rule voyage-on-bookings to name the root whose located.at places the copy, got another voyage ('fixed', not 'voyageA') for an example",
    );
  });

  test('if its ids are exchanged', () => {
    const rule: Rule = { ...voyageOnBookings, rootOf: ({ ids }) => voyageKey(ids['voyage'], ids['line']) };

    expect(findings(rule)).toContainEqual(
      expect.stringContaining("got another line ('voyageA', not 'lineA')"),
    );
  });

  test('if it is a key of another kind', () => {
    const rule: Rule = {
      ...dateOnLegs,
      rootOf: ({ ids }) => ({ pk: `TICKET#${ids['ticket']}`, sk: 'META' }),
    };

    expect(findings(rule)).toContain(
      "Expected rootOf of rule date-on-legs to name the root whose located.at places the copy, got the sk 'META' for an example, and that of the root is 'TICKET': return Ticket.key(…)",
    );
  });

  test('if it is the key of the copy itself', () => {
    const rule: Rule = {
      ...dateOnLegs,
      rootOf: ({ ids }) => ({ pk: `TICKET#${ids['ticket']}`, sk: `LEG#${ids['leg']}` }),
    };

    expect(findings(rule)).toEqual([
      'Expected rootOf of rule date-on-legs to name the root whose located.at places the copy, got a key of Leg for an example: return Ticket.key(…)',
    ]);
  });

  test('if it is something else, or reads what it does not declare', () => {
    expect(findings({ ...nameOnCrew, rootOf: () => null as never })).toEqual([
      'Expected rootOf of rule name-on-crew to return { pk, sk }, all text, or undefined, got null: correct the function. If Crewing has other values, give it examples',
    ]);
    expect(findings({ ...nameOnCrew, rootOf: ({ Duty }) => ({ pk: String(Duty), sk: 's' }) })).toEqual([
      "Rule name-on-crew reads 'Duty' of its copy without declaring it: add it to reads.copy",
    ]);
  });

  test.each<[string, Rule['rootOf']]>([
    ['an attribute of the copy says', ({ SailorId }) => ({ pk: `SAILOR#${String(SailorId)}`, sk: 'SAILOR' })],
    [
      'part of an attribute says',
      ({ SailorId }) => ({ pk: `SAILOR#${String(SailorId).slice(1)}`, sk: 'SAILOR' }),
    ],
    ['an attribute says the whole key', ({ SailorId }) => ({ pk: String(SailorId), sk: 'SAILOR' })],
    ['no root is named', () => undefined],
    ['it throws on some examples', ({ ids }) => (ids['sailor']?.endsWith('A') ? JSON.parse('{') : undefined)],
  ])('but not if %s', (_, rootOf) => {
    expect(findings({ ...nameOnCrew, rootOf })).toEqual([]);
  });
});

describe('a derived value is found wrong', () => {
  test('whichever of a rule’s functions it is', () => {
    const throws = () => {
      throw new TypeError('x');
    };
    const broken = { OwnerPart: throws, OwnerSort: () => ({}) as never, Other: throws };

    for (const rule of [dateOnLegs, ticketStateKeys])
      expect(findings({ ...rule, derive: broken })).toEqual([
        expect.stringContaining('Function derive.OwnerPart of'),
        expect.stringContaining('Expected derive.OwnerSort of'),
        expect.stringContaining('Function derive.Other of'),
      ]);
  });

  test('if it is none, on copies and on items that are their own copies', () => {
    expect(findings({ ...dateOnLegs, derive: { OwnerSort: () => ({}) as never } })).toEqual([
      'Expected derive.OwnerSort of rule date-on-legs to return text, a number or undefined, got an object: correct the function. If Ticket has other values, give it examples',
    ]);
    expect(findings({ ...ticketStateKeys, derive: { StatePart: async () => 'x' } as never })).toEqual([
      'Expected derive.StatePart of rule ticket-state-keys to return text, a number or undefined, got a Promise: correct the function. If Ticket has other values, give it examples',
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
    expect(findings({ ...nameOnCrew, when: { root: throws } })).toEqual(
      says('when.root', 'name-on-crew', 'Sailor'),
    );
    expect(findings(at(nameOnCrew, throws))).toEqual(says('located.at', 'name-on-crew', 'Sailor'));
    expect(findings({ ...nameOnCrew, rootOf: throws })).toEqual(says('rootOf', 'name-on-crew', 'Crewing'));
    expect(findings({ ...dateOnLegs, derive: { OwnerSort: throws } })).toEqual(
      says('derive.OwnerSort', 'date-on-legs', 'Ticket'),
    );
    expect(findings({ ...ticketStateKeys, derive: { StatePart: throws } })).toEqual(
      says('derive.StatePart', 'ticket-state-keys', 'Ticket'),
    );
  });

  test('is not found if it throws for roots only that when excludes', () => {
    expect(findings(at({ ...nameOnCrew, when: { root: () => false } }, throws))).toEqual([]);
  });
});

test.each<[string, Partial<Rule>]>([
  ['derive.OwnerSort', { derive: { OwnerSort: () => Date.now() } }],
  ['derive.OwnerSort', { derive: { OwnerSort: firstThenAgain() } }],
  ['derive.OwnerSort', { derive: { OwnerSort: () => String(Math.random()) } }],
  ['rootOf', { rootOf: () => ({ pk: new Date().toISOString(), sk: 'TICKET' }) }],
  ['when.root', { when: { root: () => Math.random() < 0.2 } }],
])('%s is found if it gives another result at another time: %j', (which, change) => {
  expect(findings({ ...dateOnLegs, ...change })).toEqual([
    `${which} of rule date-on-legs gives two results for the same items: it must not use the time, random numbers, or anything that is kept between calls`,
  ]);
});

test('a rule that creates is found wrong if derive needs an attribute of the copy, or does not give what its schema requires', () => {
  const badge = defineKind({
    name: 'Badge',
    pk: 'BADGE#{sailor}',
    sk: 'BADGE',
    attributes: z.object({ Name: z.string(), Text: z.string() }),
  });
  const badges = {
    ...nameOnCrew,
    copy: badge,
    located: { in: 'key', at: ({ ids }) => badge.key({ sailor: ids['sailor'] ?? '' }) },
    rootOf: ({ ids }) => sailor.key({ sailor: ids['sailor'] ?? '' }),
    reads: { root: [], copy: ['Name'] },
    derive: { Text: ({ copy }) => `${copy['Name']}!` },
    creates: true,
  } satisfies Partial<Rule>;
  const found = (change: Partial<Rule>) =>
    checkRules({ ...cruises(), rules: [bound({ ...badges, ...change })] }).map(({ message }) => message);

  expect(found({})).toEqual([
    "Expected attribute 'Name' of Badge to be string, found none: of a copy that it creates, derive sees only ids",
  ]);
  expect(found({ creates: false })).toEqual([]);
  expect(found({ derive: { Text: ({ copy }) => copy.ids['sailor'] } })).toEqual([]);
  const sometimes = { Text: ({ copy }: FromCopy) => (copy.ids['sailor']?.endsWith('A') ? 'x' : undefined) };
  expect(found({ derive: sometimes })).toEqual([
    'Expected derive.Text of rule name-on-crew to return a value, because the schema of Badge requires it, got undefined for an example: return one, or make it optional in the schema',
  ]);
  expect(found({ derive: sometimes, creates: false })).toEqual([]);
});

test('functions are tried on values that schemas accept: words, dates, numbers, sets, optional ones', () => {
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

  expect(checkRules(makeRegistry(table, [rule]))).toEqual([]);
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

function voyageKey(line = '', voyage = '') {
  return { pk: `line_${line}#voyages`, sk: `voyage_${voyage}` };
}
