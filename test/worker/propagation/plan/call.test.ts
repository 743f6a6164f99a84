import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InvalidItemError, RuleError } from '../../../../src/model/errors.ts';
import type { Item } from '../../../../src/model/item.ts';
import type { Rule } from '../../../../src/model/rule.ts';
import { called } from '../../../../src/worker/propagation/plan/call.ts';
import { project } from '../../../../src/worker/propagation/plan/projection.ts';
import { locationOf, rootNamedBy, rootOf } from '../../../../src/worker/propagation/plan/rule-functions.ts';
import {
  aText,
  finite,
  finiteOrText,
  keys,
  locationIn,
  orUndefined,
  type Shape,
} from '../../../../src/worker/propagation/plan/shapes.ts';
import { aCrewing, aLeg, aSailor, aTicket, aVoyage } from '../../../fixtures/cruises/cruise-items.ts';
import {
  dateOnLegs,
  nameOnCrew,
  ticketOnGuestTicket,
  voyageOnBookings,
} from '../../../fixtures/cruises/cruise-rules.ts';
import { table } from '../../../fixtures/model/table.ts';

const secret = 'a secret';

/** What a function returns that cuts a title at so many characters. */
const half = 'The 😀'.slice(0, 5);

describe('a location that is no location', () => {
  test.each<[string, unknown, string]>([
    ['an array', [secret], 'got an array'],
    ['nothing', undefined, 'got undefined'],
    ['null', null, 'got null'],
    ['text', secret, 'got text'],
    ['a Promise', Promise.resolve({ pk: 'p' }), 'got a Promise'],
    ['an object without pk', {}, 'got an object whose pk is undefined'],
    ['a pk that is no text', { pk: 7 }, 'got an object whose pk is a number'],
    ['begins that is no text', { pk: 'p', begins: 7 }, 'got an object whose begins is a number'],
    ['a pk that ends in half an emoji', { pk: half }, 'got an object whose pk is text with half a character'],
  ])('stops its root only, with rule and function: %s', (_, returned, got) => {
    expect(refusal(() => locationOf(table, locating(voyageOnBookings, returned), aVoyage()))).toMatchObject({
      name: 'InvalidItemError',
      code: 'rule.returned',
      concerns: 'root',
      rule: 'voyage-on-bookings',
      key: { pk: 'line_1#voyages', sk: 'voyage_a' },
      message: `Expected located.at of rule voyage-on-bookings to return { pk, begins? }, all text, ${got}: correct the function`,
    });
  });

  test.each<[string, unknown, string]>([
    ['a range', { pk: 'p' }, 'got an object whose sk is undefined'],
    ['an sk that is no text', { pk: 'p', sk: 1 }, 'got an object whose sk is a number'],
    ['nothing', undefined, 'got undefined'],
  ])('stops its root only, if copies are at one key: %s', (_, returned, got) => {
    expect(
      refusal(() => locationOf(table, locating(ticketOnGuestTicket, returned), aTicket())),
    ).toMatchObject({
      code: 'rule.returned',
      message: `Expected located.at of rule ticket-on-guest-ticket to return { pk, sk }, all text, ${got}: correct the function`,
    });
  });

  test('is not overridden by what else it says', () => {
    const returned = { pk: 'p', in: 'key', sk: 's', begins: undefined };

    expect(locationOf(table, locating(nameOnCrew, returned), aSailor())).toStrictEqual({
      in: 'index',
      index: 'ByOwner',
      pk: 'p',
    });
  });
});

describe('a root key that is no key', () => {
  test.each<[string, unknown, string]>([
    ['an array', [secret], 'got an array'],
    ['null', null, 'got null'],
    ['a Promise', Promise.resolve(undefined), 'got a Promise'],
    ['an object without sk', { pk: 'p' }, 'got an object whose sk is undefined'],
    ['a pk that is no text', { pk: 1, sk: 's' }, 'got an object whose pk is a number'],
  ])('stops its copy only, with rule and function: %s', (_, returned, got) => {
    const rule: Rule = { ...nameOnCrew, rootOf: (() => returned) as Rule['rootOf'] };
    const error = {
      code: 'rule.returned',
      concerns: 'copy',
      rule: 'name-on-crew',
      key: { pk: 'SHIP#s', sk: 'CREW#1' },
      message: `Expected rootOf of rule name-on-crew to return { pk, sk }, all text, or undefined, ${got}: correct the function`,
    };

    expect(refusal(() => rootOf(table, rule, aCrewing('s')))).toMatchObject(error);
    expect(refusal(() => rootNamedBy(table, rule, aCrewing('s')))).toMatchObject(error);
  });
});

describe('a derived value that is no value', () => {
  test.each<[string, unknown, string]>([
    ['an object', { secret }, 'an object'],
    ['an array', [secret], 'an array'],
    ['a Promise', Promise.resolve(secret), 'a Promise'],
    ['a boolean', true, 'a boolean'],
    ['null', null, 'null'],
    ['a Date', new Date(0), 'a Date'],
    ['a bigint', 1n, 'a bigint'],
    ['text that ends in half an emoji', half, 'text with half a character'],
  ])('stops its copy only, with rule and attribute: %s', (_, returned, got) => {
    expect(refusal(() => derive(dateOnLegs, returned))).toMatchObject({
      code: 'rule.returned',
      concerns: 'copy',
      rule: 'date-on-legs',
      message: `Expected derive.Note of rule date-on-legs to return text, a number or undefined, got ${got}: correct the function`,
    });
  });
});

describe('a function without types', () => {
  test.each<[string, Rule, () => unknown, string]>([
    [
      'reads an attribute that no schema lists',
      locatingBy(voyageOnBookings, (root) => ({ pk: String(root['Stat']) })),
      () => undefined,
      "In located.at of rule voyage-on-bookings: Expected an attribute that the schema of Voyage lists, got 'Stat': did you mean 'State'?",
    ],
    [
      'reads an id that no key has',
      locatingBy(voyageOnBookings, (root) => ({ pk: `p#${root.ids['voyag']}` })),
      () => undefined,
      "In located.at of rule voyage-on-bookings: Expected an id of the keys of Voyage, got 'voyag': did you mean 'voyage'?",
    ],
  ])('is refused where it %s', (_, rule, __, message) => {
    expect(refusal(() => locationOf(table, rule, aVoyage()))).toMatchObject({
      code: 'rule.undeclared-read',
      rule: 'voyage-on-bookings',
      message,
    });
  });

  test('is refused where it is asynchronous and fails, and the process goes on', async () => {
    const rejections: unknown[] = [];
    const note = (error: unknown) => rejections.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));

    refusal(() => derive(dateOnLegs, Promise.reject(new Error(secret))));
    await setImmediate();
    await setImmediate();

    expect(rejections).toEqual([]);
  });
});

describe('what a function returns', () => {
  const anyLocation = locationIn(table);

  test.each<[string, Shape, unknown, string | undefined]>([
    ['a location at a key', anyLocation, { in: 'key', pk: 'p', sk: 's' }, undefined],
    ['a location in a partition', anyLocation, { in: 'partition', pk: 'p', begins: 'b' }, undefined],
    ['a location in an index', anyLocation, { in: 'index', index: 'ByOwner', pk: 'p' }, undefined],
    ['a location elsewhere', anyLocation, { pk: 'p' }, 'an object with another in'],
    ['no location', anyLocation, ['p'], 'an array'],
    ['a location without sk', anyLocation, { in: 'key', pk: 'p' }, 'an object whose sk is undefined'],
    ['a pk that is no text', anyLocation, { in: 'partition', pk: 1 }, 'an object whose pk is a number'],
    ['no index', anyLocation, { in: 'index', index: 'x', pk: 'p' }, 'an index that the table does not have'],
    ['no pk', anyLocation, { in: 'index', index: 'ByOwner' }, 'an object whose pk is undefined'],
    ['no keys', keys, [], undefined],
    ['keys', keys, [{ pk: 'p', sk: 's' }], undefined],
    ['a key', keys, { pk: 'p', sk: 's' }, 'an object'],
    ['half a key', keys, [{ pk: 'p', sk: 's' }, { pk: 'p' }], 'one with an object whose sk is undefined'],
    ['text among keys', keys, [{ pk: 'p', sk: 's' }, secret], 'one with text'],
    ['a hole among keys', keys, new Array(1), 'one with undefined'],
    ['a number', finite, 0.5, undefined],
    ['no number', finite, Number.NaN, 'NaN'],
    ['an infinite number', finite, Number.NEGATIVE_INFINITY, '-Infinity'],
    ['text for a number', finite, '7', 'text'],
    ['nothing for a number', finite, undefined, 'undefined'],
    ['a number or text', finiteOrText, 0.5, undefined],
    ['text', finiteOrText, '7', undefined],
    ['neither number nor text', finiteOrText, Number.NaN, 'NaN'],
    ['null', finiteOrText, null, 'null'],
    ['nothing, where it may', orUndefined(finite), undefined, undefined],
    ['text, where nothing may be', orUndefined(finite), '1', 'text'],
  ])('is checked: %s', (_, shape, returned, found) => {
    expect(shape.found(returned)).toBe(found);
  });
});

describe('a function that is called for no item', () => {
  test('stops its rule, with its name', () => {
    const call = { rule: { name: 'a' }, does: 'found.until' };

    const error = thrown(() => called(call, () => new Date(0) as unknown as string, aText));

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

    expect(thrown(() => called(call, throws, aText))).toMatchObject({
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

function derive(rule: Rule, returned: unknown, root: Item = aTicket(), copy: Item = aLeg()) {
  const derives = { Note: () => returned } as Rule['derive'];
  return project(table, { ...rule, derive: derives }, root, copy);
}

function refusal(call: () => unknown): InvalidItemError {
  const error = thrown(call);
  if (!(error instanceof InvalidItemError)) throw error;
  expect(error.message).not.toContain(secret);
  return error;
}

function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('Expected a refusal, got none');
}
