import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DenormError, RuleError } from '../../src/model/basics/errors.ts';
import type { Item } from '../../src/model/items/item.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { called } from '../../src/plan/call.ts';
import { project } from '../../src/plan/projection.ts';
import { ofPart } from '../../src/plan/returns.ts';
import { locationOf, rootOf } from '../../src/plan/rule-functions.ts';
import { bound } from '../fixtures/model/bound.ts';
import { aMembership, anIncident, anOrder, anOrderItem, aUser } from '../fixtures/world/items.ts';
import {
  dateOnOrderItems,
  incidentOnParticipations,
  usernameOnMemberships,
} from '../fixtures/world/rules.ts';
import { refusal as refused } from '../suites/refusal.ts';

const secret = 'a secret';

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
  test.each<[string, Rule, string]>([
    [
      'reads an attribute that no schema lists',
      locatingBy(incidentOnParticipations, (root) => ({ pk: String(root['Stat']) })),
      "In located.at of rule incident-on-participations: Expected an attribute that the schema of Incident lists, got 'Stat': did you mean 'State'?",
    ],
    [
      'reads an id that no key has',
      locatingBy(incidentOnParticipations, (root) => ({ pk: `p#${root.ids['inciden']}` })),
      "In located.at of rule incident-on-participations: Expected an id of the keys of Incident, got 'inciden': did you mean 'incident'?",
    ],
  ])('is refused where it %s', (_, rule, message) => {
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
