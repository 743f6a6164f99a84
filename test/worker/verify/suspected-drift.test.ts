import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import type { ModelTable } from '../../../src/testing/table-model/model-table.ts';
import type { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { aMembership, anIncident, aParticipation, aUser } from '../../fixtures/world/items.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { keyed, keyIn } from '../../fixtures/world/worker.ts';

describe('the grace period', () => {
  const membership = [aUser(), aMembership('general', { Name: 'x' }), aMembership('art', { Name: 'y' })];
  const incident = [anIncident({ Lead: 'Erik' }), aParticipation('ann')];

  test.each<[string, Item[], (table: ModelTable, clock: VirtualClock) => unknown]>([
    ['is right at the second check', incident, (table) => table.put(aParticipation('ann', { Lead: 'Erik' }))],
    [
      'is updated after its root has changed again',
      incident,
      async (table, clock) => {
        table.put(anIncident({ Lead: 'Bligh' }));
        await clock.sleep(4000);
        table.put(aParticipation('ann', { Lead: 'Bligh' }));
      },
    ],
    [
      'was removed, and one that is of another kind now',
      membership,
      (table) => {
        table.delete(keyIn(aMembership('general')));
        table.put(aMembership('art', { Kind: 'Visit', Name: 'y' }));
      },
    ],
  ])('dismisses a copy that %s', async (_, items, change) => {
    const search = new WorldSearch(items);
    const arrived = search.clock.sleep(4000).then(() => change(search.table, search.clock));

    await search.run();
    await arrived;

    expect(search.lines()).toEqual([]);
  });

  test.each([
    // Ten looks, a grace between each two of them.
    ['unstable if it is rewritten again and again', (Lead: string) => aParticipation('ann', { Lead }), 9, 0],
    // The first look, and three at which it was as before.
    ['drift if only its root changes again and again', (Lead: string) => anIncident({ Lead }), 3, 1],
    ['drift if neither changes', () => anIncident(), 1, 1],
  ])('counts a copy as %s', async (_, rewritten, graces, drifts) => {
    const search = new WorldSearch([anIncident(), aParticipation('ann', { Lead: 'left behind' })]);
    search.port.before = (request) => {
      if (request.kind === 'getMany') search.table.put(rewritten(`number ${search.table.history.length}`));
    };
    const began = search.clock.now();
    const told: number[] = [];

    const state = await search.run({ onDrift: async (found) => void told.push(found.length) });

    expect(told).toEqual(Array(drifts).fill(1));
    const unstable = Object.entries(state.rules).flatMap(([rule, counts]) =>
      Array(counts.unstable).fill(rule),
    );
    expect(unstable).toEqual(Array(1 - drifts).fill('incident-on-participations'));
    expect(search.clock.now() - began).toBe(graces * 5000);
  });

  test('does not trust a scan that is a second late', async () => {
    const search = new WorldSearch([anIncident(), aParticipation('ann', { Lead: 'before' })]);
    await search.clock.sleep(60_000);
    search.table.put(aParticipation('ann'));
    const late = search.table.readLate(keyIn(aParticipation('ann')));
    expect(late).toEqual(aParticipation('ann', { Lead: 'before' }));
    search.scan.scan = async () => ({
      entries: [keyed(late ?? aParticipation('ann'))],
      next: undefined,
      units: 1,
    });

    await search.run();

    expect(search.lines()).toEqual([]);
  });
});
