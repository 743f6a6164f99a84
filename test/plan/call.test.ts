import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DenormError, RuleError } from '../../src/model/basics/errors.ts';
import { optional, type Requirement } from '../../src/model/basics/requirement.ts';
import type { Item } from '../../src/model/items/item.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { called } from '../../src/plan/call.ts';
import { project } from '../../src/plan/projection.ts';
import {
  aRange,
  derivedKey,
  derivedValue,
  finite,
  finiteOrText,
  keys,
  locationIn,
  ofPart,
} from '../../src/plan/returns.ts';
import { locationOf, rootOf } from '../../src/plan/rule-functions.ts';
import { bound } from '../fixtures/model/bound.ts';
import { table } from '../fixtures/model/table.ts';
import { aMembership, anIncident, anOrder, anOrderItem, aUser } from '../fixtures/world/items.ts';
import {
  dateOnOrderItems,
  incidentOnParticipations,
  usernameOnMemberships,
} from '../fixtures/world/rules.ts';
import { refusal as refused } from '../suites/refusal.ts';

const secret = 'a secret';

/** What a function returns that cuts a title at so many characters. */
const half = 'The 😀'.slice(0, 5);

describe('a function that returns something else stops its item only:', () => {
  const atFault = {
    incident: {
      concerns: 'root',
      key: { pk: 'acct_1#incidents', sk: 'incident_a' },
      rule: 'incident-on-participations',
    },
    order: { concerns: 'root', rule: 'order-on-user-order' },
    membership: {
      concerns: 'copy',
      key: { pk: 'SERVER#s', sk: 'MEMBERSHIP#1' },
      rule: 'username-on-memberships',
    },
    orderItem: { concerns: 'copy', rule: 'date-on-order-items' },
  };
  const misnaming: Rule = { ...usernameOnMemberships, rootOf: () => ({ pk: 'p' }) as never };

  test.each<[string, () => unknown, object, string]>([
    [
      'located.at of a range',
      () => locationOf(bound(locating(incidentOnParticipations, { pk: 'p', begins: 7 })), anIncident()),
      atFault.incident,
      'located.at of rule incident-on-participations to return { pk, begins? } or { pk, from?, to? }, all text, got an object whose begins is a number',
    ],
    [
      'rootOf',
      () => rootOf(bound(misnaming), aMembership('s')),
      atFault.membership,
      'rootOf of rule username-on-memberships to return { pk, sk }, all text, or undefined, got an object whose sk is undefined',
    ],
    [
      'derive',
      () => derive(dateOnOrderItems, new Date(0)),
      atFault.orderItem,
      'derive.Note of rule date-on-order-items to return undefined, or a value that DynamoDB stores: text, a number, a boolean, null, bytes, a list, an object or a set, got a Date',
    ],
    [
      'derive of an index key',
      () =>
        project(bound({ ...dateOnOrderItems, derive: { OwnerPart: () => true } }), anOrder(), anOrderItem()),
      atFault.orderItem,
      'derive.OwnerPart of rule date-on-order-items to return text, a number or undefined, got a boolean',
    ],
  ])('%s', (_, run, about, why) => {
    const message = `Expected ${why}: correct the function`;

    expect(refusal(run)).toMatchObject({
      name: 'InvalidItemError',
      code: 'rule.returned',
      ...about,
      message,
    });
  });

  test('what else a location says does not override it', () => {
    const returned = { pk: 'p', in: 'key', sk: 's', begins: undefined };

    expect(locationOf(bound(locating(usernameOnMemberships, returned)), aUser())).toStrictEqual({
      in: 'index',
      index: 'ByOwner',
      pk: 'p',
    });
  });
});

describe('a function without types', () => {
  test.each<[string, Rule, () => unknown, string]>([
    [
      'reads an attribute that no schema lists',
      locatingBy(incidentOnParticipations, (root) => ({ pk: String(root['Stat']) })),
      () => undefined,
      "In located.at of rule incident-on-participations: Expected an attribute that the schema of Incident lists, got 'Stat': did you mean 'State'?",
    ],
    [
      'reads an id that no key has',
      locatingBy(incidentOnParticipations, (root) => ({ pk: `p#${root.ids['inciden']}` })),
      () => undefined,
      "In located.at of rule incident-on-participations: Expected an id of the keys of Incident, got 'inciden': did you mean 'incident'?",
    ],
  ])('is refused where it %s', (_, rule, __, message) => {
    expect(refusal(() => locationOf(bound(rule), anIncident()))).toMatchObject({
      code: 'rule.undeclared-read',
      rule: 'incident-on-participations',
      message,
    });
  });

  test('is refused where it is asynchronous and fails, and the process goes on', async () => {
    const rejections: unknown[] = [];
    const note = (error: unknown) => rejections.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));

    refusal(() => derive(dateOnOrderItems, Promise.reject(new Error(secret))));
    await setImmediate();
    await setImmediate();

    expect(rejections).toEqual([]);
  });
});

describe('what a function returns', () => {
  const anyLocation = locationIn(table);

  test.each<[string, Requirement, unknown, string | undefined]>([
    ['a location elsewhere', anyLocation, { pk: 'p' }, 'an object with another in'],
    ['no location', anyLocation, ['p'], 'an array'],
    ['no index', anyLocation, { in: 'index', index: 'x', pk: 'p' }, 'an index that the table does not have'],
    ['no pk', anyLocation, { in: 'index', index: 'ByOwner' }, 'an object whose pk is undefined'],
    ['null', aRange(table), null, 'null'],
    [
      'a number for a list',
      aRange({ pk: 'a', sk: ['b', 'c'] }),
      { pk: 'p', sk: 0 },
      'an object whose sk is a number',
    ],
    ['half an emoji', aRange(table), { pk: half }, 'an object whose pk is text with half a character'],
    ['a boolean for a key', derivedKey, true, 'a boolean'],
    ['a Date', derivedValue, new Date(0), 'a Date'],
    ['a Date in a list', derivedValue, [new Date(0)], 'one with a Date'],
    ['a Date further inside', derivedValue, { at: [[new Date(0)]] }, 'one with a Date'],
    ['a name with half an emoji', derivedValue, { [half]: 1 }, 'an object with a name that is no text'],
    ['an object without a prototype', derivedValue, Object.create(null), undefined],
    ['what DynamoDB stores', derivedValue, { a: [1n, true, null, new Set(['x'])], b: undefined }, undefined],
    ['an empty set', derivedValue, new Set(), 'an empty set'],
    [
      'a set of two types',
      derivedValue,
      new Set([1, 'x']),
      'a set that is not of text, of numbers or of bytes',
    ],
    ['an object of a class', derivedValue, new Map(), 'an object of a class'],
    ['33 levels', derivedValue, nested(33), expect.stringContaining('one of more than 32 levels')],
    ['32 levels', derivedValue, nested(32), undefined],
    ['text that ends in half an emoji', derivedValue, half, 'text with half a character'],
    ['nothing derived', derivedValue, undefined, undefined],
    ['no keys', keys(table), [], undefined],
    ['keys', keys(table), [{ pk: 'p', sk: 's' }], undefined],
    ['a key', keys(table), { pk: 'p', sk: 's' }, 'an object'],
    [
      'half a key',
      keys(table),
      [{ pk: 'p', sk: 's' }, { pk: 'p' }],
      'one with an object whose sk is undefined',
    ],
    ['text among keys', keys(table), [{ pk: 'p', sk: 's' }, secret], 'one with text'],
    ['a hole among keys', keys(table), new Array(1), 'one with undefined'],
    ['a number', finite, 0.5, undefined],
    ['no number', finite, Number.NaN, 'NaN'],
    ['an infinite number', finite, Number.NEGATIVE_INFINITY, '-Infinity'],
    ['text for a number', finite, '7', 'text'],
    ['nothing for a number', finite, undefined, 'undefined'],
    ['a number or text', finiteOrText, 0.5, undefined],
    ['text', finiteOrText, '7', undefined],
    ['neither number nor text', finiteOrText, Number.NaN, 'NaN'],
    ['null', finiteOrText, null, 'null'],
    ['nothing, where it may', optional(finite), undefined, undefined],
    ['text, where nothing may be', optional(finite), '1', 'text'],
  ])('is checked: %s', (_, { misfit }, returned, found) => {
    expect(misfit(returned)?.found).toEqual(found);
  });
});

describe('a function that is called for no item', () => {
  const text = ofPart({ name: 'at', type: 'S', longest: 1024 });

  test('stops its rule, with its name', () => {
    const call = { rule: { name: 'a' }, does: 'found.until' };

    const error = refusal(() => called(call, () => new Date(0) as unknown as string, text));

    expect(error).toBeInstanceOf(RuleError);
    expect(error).toMatchObject({
      code: 'rule.returned',
      message: 'Expected found.until of rule a to return text, got a Date: correct the function',
    });
  });

  test('says what it threw, and names no item', () => {
    const call = { rule: { name: 'a' }, does: 'found.until' };
    const throws = () => {
      throw new RangeError(secret);
    };

    expect(refusal(() => called(call, throws, text))).toMatchObject({
      code: 'rule.threw',
      message:
        'Function found.until of rule a threw RangeError: correct it, or make the schema reject what it cannot use',
    });
  });
});

function locating(rule: Rule, returned: unknown): Rule {
  return locatingBy(rule, () => returned);
}

function locatingBy(rule: Rule, at: (root: Parameters<Rule['rootOf']>[0]) => unknown): Rule {
  return { ...rule, located: { ...rule.located, at } as Rule['located'] };
}

function derive(rule: Rule, returned: unknown, root: Item = anOrder(), copy: Item = anOrderItem()) {
  const derives = { Note: () => returned } as Rule['derive'];
  return project(bound({ ...rule, derive: derives }), root, copy);
}

function refusal(call: () => unknown): DenormError {
  const error = refused(call);
  expect(error.message).not.toContain(secret);
  return error;
}

function nested(levels: number): unknown {
  return levels === 0 ? 'x' : [nested(levels - 1)];
}
