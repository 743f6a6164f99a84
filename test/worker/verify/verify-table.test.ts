import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { driftIn, type VerifyState, verifyFrom } from '../../../src/worker/verify/verify-state.ts';
import { bound } from '../../fixtures/model/bound.ts';
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
import { incidentOnParticipations } from '../../fixtures/world/rules.ts';
import { inSmallPages, itemsBefore, WorldSearch } from '../../fixtures/world/search.ts';

const everything = [
  aTeam(),
  anIncident({ TeamName: 'Payments' }),
  aParticipation('ann', { TeamName: 'Payments' }),
  aUser(),
  aMembership('general'),
  anOrder(),
  aUserOrder(),
  anOrderItem(),
];

describe('a search for drift', () => {
  test('finds nothing if every copy equals its root, and writes nothing', async () => {
    const search = new WorldSearch(everything);
    const before = search.table.history.length;
    const began = search.clock.now();

    const state = await search.run();

    expect(search.lines()).toEqual([]);
    expect(driftIn(state)).toBe(0);
    expect(state.items).toBe(everything.length);
    expect(Object.keys(state.rules)).toEqual(search.registry.rules.map(({ name }) => name));
    expect(verifyFrom(wholeTable(1)).rules).toEqual({});
    expect(state.rules['incident-on-participations']).toMatchObject({ copies: 1, kept: 0, unfindable: 0 });
    // Nobody is suspected, so nobody is waited for.
    expect(search.clock.now()).toBe(began);
    expect(search.table.history).toHaveLength(before);
    expect(search.port.counts.update + search.port.counts.remove).toBe(0);
  });

  test.each<[string, Item[], string[]]>([
    [
      'copies that differ, in which attributes, by every way of locating them',
      [
        aTeam(),
        anIncident({ TeamName: 'Search' }),
        aParticipation('ann', { TeamName: 'Search', Lead: 'Erik', State: undefined }),
        aParticipation('bob', { TeamName: 'Search', OwnerSort: 'CLOSED#100' }),
        aUser(),
        aMembership('general', { Name: 'Johannes' }),
        anOrder(),
        aUserOrder({ Total: 12 }),
        anOrderItem({ OwnerSort: undefined }),
      ],
      [
        'differs team-name-on-incidents acct_1#incidents incident_a: TeamName',
        'differs date-on-order-items ORDER#t ITEM#1: OwnerSort',
        'differs username-on-memberships SERVER#general MEMBERSHIP#1: Name',
        'differs order-on-user-order USER#42 ORDER#2026-01-15: Total',
        'differs incident-on-participations acct_1#incident_a#participations ann: Lead,State',
        'differs incident-on-participations acct_1#incident_a#participations bob: OwnerSort',
      ],
    ],
    [
      'unmapped attributes that a strict mirror would remove',
      [anIncident(), aParticipation('ann', { Notes: 'vegetarian', TeamName: 'left behind', Lead: 'Erik' })],
      [
        'differs incident-on-participations acct_1#incident_a#participations ann: Lead,Notes,TeamName (unmapped Notes)',
      ],
    ],
    [
      'items whose derived keys are wrong',
      [anOrder({ StatePart: 'STATUS#OLD', StateSort: undefined })],
      ['derived order-state-keys ORDER#t ORDER: StatePart,StateSort'],
    ],
    [
      'copies whose root locates its copies elsewhere',
      [
        ...[anOrder(), aUserOrder({ Part: 'USER#7' })],
        ...[aUser(), aMembership('general', { OwnerPart: 'USER#2' })],
      ],
      [
        'foreign username-on-memberships SERVER#general MEMBERSHIP#1',
        'foreign order-on-user-order USER#7 ORDER#2026-01-15',
      ],
    ],
  ])('finds %s', async (_, items, lines) => {
    const search = new WorldSearch(items);
    await search.run();

    expect(search.lines().toSorted()).toEqual([...lines].toSorted());
  });

  test('accepts a copy that is missing from the index of its rule', async () => {
    const missing = aMembership('general', { OwnerPart: undefined, Name: 'Johannes' });
    const search = new WorldSearch([aUser(), missing]);

    const state = await search.run();

    expect(search.lines()).toEqual([]);
    expect(state.rules['username-on-memberships']).toMatchObject({ copies: 1, unfindable: 1 });
  });

  test('reports invalid items with a code', async () => {
    const search = new WorldSearch([
      anIncident({ State: undefined }),
      aParticipation('ann'),
      anOrder(),
      aUserOrder({ OrderId: undefined }),
      anOrderItem({ ProductId: undefined }),
      anOrder({ Part: 'ORDER#u', Status: undefined }),
    ]);

    await search.run();

    expect(search.found.map(({ kind, rule, code }) => `${kind} ${rule} ${code}`).toSorted()).toEqual([
      'invalid date-on-order-items copy.invalid',
      'invalid incident-on-participations root.invalid',
      'invalid order-on-user-order copy.invalid',
      'invalid order-state-keys root.invalid',
    ]);
    for (const { reason } of search.found) expect(reason).toMatch(/^Expected attribute '\w+'/);
    expect(JSON.stringify(search.found)).not.toContain('Dana');
  });

  test('has counted the items before its position whenever it is saved, and no others', async () => {
    const search = new WorldSearch(
      Array.from({ length: 90 }, (_, n) =>
        anIncident({ Part: `acct_${n % 30}#incidents`, Sort: `incident_${n}` }),
      ),
    );
    const states: VerifyState[] = [];

    await search.run({
      scan: inSmallPages(search.scan),
      concurrency: 3,
      onState: (state) => {
        states.push(state);
      },
    });

    expect(states.length).toBeGreaterThan(20);
    for (const { items, rules, point } of states) {
      expect(items).toBe(await itemsBefore(search.scan, point));
      expect(rules['team-name-on-incidents']?.copies).toBe(items);
    }
  });

  test('verifies the copies of the requested rules only', async () => {
    const search = new WorldSearch([
      anIncident({ Lead: 'Erik' }),
      aParticipation('ann'),
      anOrder({ StatePart: 'x' }),
    ]);

    await search.run({ passes: [{ rules: [bound(incidentOnParticipations)], aggregates: [] }] });

    expect(search.lines()).toEqual([
      'differs incident-on-participations acct_1#incident_a#participations ann: Lead',
    ]);
  });

  test('that goes on after more passes than there are now ends without a finding', async () => {
    const search = new WorldSearch([anIncident({ Lead: 'Erik' }), aParticipation('ann')]);

    expect(await search.run({}, { ...verifyFrom(wholeTable(1)), pass: 1 })).toMatchObject({
      pass: 1,
      items: 2,
    });
    expect(search.lines()).toEqual([]);
  });
});

describe('an orphan', () => {
  const orphans = [aParticipation('ann'), aMembership('general'), aUserOrder(), anOrderItem()];
  const userOrder = 'orphan order-on-user-order USER#42 ORDER#2026-01-15';
  const participation = 'orphan incident-on-participations acct_1#incident_a#participations ann';

  // Participations go with their incident in any case; user orders stay when their order expires; the others always stay.
  test.each([
    ['if no policy of its rule explains it', 'unexplained', [participation], 1],
    ['on request if only one of two policies explains it', 'all', [userOrder, participation], 0],
  ] as const)('is drift %s', async (_, asked, lines, kept) => {
    const search = new WorldSearch(orphans);
    const state = await search.run({ orphans: asked });

    expect(search.lines().toSorted()).toEqual([...lines].toSorted());
    expect(state.rules).toMatchObject({
      'order-on-user-order': { kept },
      'username-on-memberships': { kept: 1 },
    });
  });
});
