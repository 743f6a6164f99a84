import { describe, expect, test } from 'vitest';
import type { Rule } from '../../../src/model/rules/rule.ts';
import {
  aMembership,
  anIncident,
  anOrder,
  anOrderItem,
  aParticipation,
  aTeam,
  aUser,
  aUserOrder,
} from '../../fixtures/world/items.ts';
import {
  dateOnOrderItems,
  incidentOnParticipations,
  usernameOnMemberships,
  world,
} from '../../fixtures/world/rules.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { workerAfter } from '../../fixtures/world/world.ts';

const everything = [
  ...[anIncident(), aParticipation('g'), aTeam({ TeamName: 'Star' }), aUser(), aMembership('s')],
  ...[anOrder(), aUserOrder({ Total: 1 }), anOrderItem()],
];

const nowhere: Rule['located'] = { in: 'partition', at: () => [] as never };
const throws = () => {
  throw new TypeError('a secret');
};

/** Rules with one function that does not do as its type says. */
const broken: readonly (readonly [string, Rule, string])[] = [
  ['located.at returns an array', { ...incidentOnParticipations, located: nowhere }, 'located.at'],
  [
    'rootOf returns a key without sk',
    { ...usernameOnMemberships, rootOf: () => ({ pk: 'p' }) as never },
    'rootOf',
  ],
  ['rootOf throws', { ...usernameOnMemberships, rootOf: throws }, 'rootOf'],
  ['when throws', { ...incidentOnParticipations, when: { root: throws } }, 'when.root'],
  [
    'when returns a Promise',
    { ...incidentOnParticipations, when: { root: () => Promise.resolve(true) as never } },
    'when.root',
  ],
  [
    'derive returns a Promise',
    { ...dateOnOrderItems, derive: { OwnerSort: async () => 'x' } as never },
    'derive',
  ],
];

describe.each(broken)('if %s', (_, rule, does) => {
  test('its items are dead-lettered with rule and function, and other rules propagate', async () => {
    const worker = await workerAfter(everything, world(rule));

    const { deadLettered } = worker.queue;
    expect(deadLettered.length).toBeGreaterThan(0);
    for (const { code, reason } of deadLettered) {
      expect(code).toMatch(/^rule\.(returned|threw)$/);
      expect(reason).toMatch(new RegExp(`${does}\\S* of rule ${rule.name}`));
      expect(reason).not.toContain('secret');
    }
    expect(worker.telemetry.failures).toEqual([]);
    expect(worker.table.read(keyIn(anIncident()))).toMatchObject({ TeamName: { S: 'Star' } });
    expect(worker.table.read(keyIn(aUserOrder()))).toMatchObject({ Total: { N: '59.97' } });
  });
});

describe('a copy of which rootOf fails', () => {
  const rule: Rule = { ...usernameOnMemberships, rootOf: () => [] as never };

  test('is dead-lettered by its key when a root propagates to it', async () => {
    const worker = await workerAfter([aMembership('s')], world(rule));
    worker.queue.deadLettered.length = 0;
    worker.table.put(aUser({ Name: 'Johannes' }));

    await worker.rest();

    expect(worker.queue.deadLettered).toContainEqual({
      code: 'rule.returned',
      reason: expect.stringContaining('rootOf of rule username-on-memberships'),
      message: expect.objectContaining({ root: keyIn(aUser()), copies: [keyIn(aMembership('s'))] }),
    });
  });
});
