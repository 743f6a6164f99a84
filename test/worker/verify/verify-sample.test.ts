import { describe, expect, test } from 'vitest';
import { Budget } from '../../../src/worker/budget.ts';
import type { Drift } from '../../../src/worker/verify/drift.ts';
import {
  type VerifyReport,
  type VerifySampleContext,
  verifyShare,
} from '../../../src/worker/verify/verify-sample.ts';
import { item } from '../../fixtures/model/items.ts';
import { aMembership, anIncident, aParticipation, aUser } from '../../fixtures/world/items.ts';
import { incidentOnParticipations } from '../../fixtures/world/rules.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';

describe('a search that runs by itself', () => {
  test('tells of drift in its share of the table, and writes nothing', async () => {
    const search = new WorldSearch(incidents(300));
    const before = search.table.history.length;

    const { report, told } = await run(search, { share: 1 });

    expect(report).toMatchObject({ items: 600, copies: 600, drift: 300, finished: true });
    // Participations are copies of incidents, and incidents those of their team, which does not exist.
    expect(report.uncompared).toEqual(['team-name-on-incidents']);
    expect(told).toHaveLength(100);
    expect(search.table.history).toHaveLength(before);
  });

  test('reads no more than its share', async () => {
    const { report } = await run(new WorldSearch(incidents(1000)), { share: 0.05 });

    expect(report.items).toBeGreaterThan(10);
    expect(report.items).toBeLessThan(400);
    expect(report.finished).toBe(true);
  });

  test('reports items that have the keys or the type of a kind, and are of none', async () => {
    const odd = [
      aUser({ Kind: 'user' }),
      aMembership('s', { Sort: 'secret' }),
      item({ Part: 'a', Sort: 'b' }),
    ];
    const { report } = await run(new WorldSearch([...incidents(2), ...odd]), { share: 1 });

    expect(report).toMatchObject({ items: 7, copies: 4, ofNoKind: 3 });
    expect(report.unmatched).toContain('User');
    expect(report.unmatched).not.toContain('Participation');
    expect(report.nearlyOfKind.toSorted((a, b) => a.like.localeCompare(b.like))).toMatchObject([
      { like: 'key', kinds: ['User'], type: "'user'", items: 1 },
      { like: 'type', kinds: ['Membership'], shape: 'SERVER#… / …', items: 1 },
    ]);
  });

  test('stops in time, and has looked again at whom it suspected', async () => {
    const search = new WorldSearch(incidents(2000));
    const end = search.clock.now() + 60_000;

    const { report } = await run(search, {
      share: 1,
      budget: new Budget(1, search.clock),
      stop: () => search.clock.now() > end - 30_000,
      stopLooking: () => search.clock.now() > end,
    });

    expect(search.clock.now()).toBeLessThanOrEqual(end);
    expect(report.finished).toBe(false);
    expect(report.items).toBeGreaterThan(0);
    expect(report.drift).toBeGreaterThan(0);
  });

  test('reports what differs while the queue has messages as waiting', async () => {
    const search = new WorldSearch(incidents(10));
    const end = search.clock.now() + 60_000;
    const queue = { look: async () => ({ messages: 3 }) };

    const { report, told } = await run(search, {
      share: 1,
      queue,
      stopLooking: () => search.clock.now() >= end,
    });

    expect(report).toMatchObject({ drift: 0, waiting: 10, queue: { messages: 3 }, finished: false });
    expect(told).toEqual([]);
  });

  test('names the rules that are paused, and takes nothing of theirs for drift', async () => {
    const { name } = incidentOnParticipations;
    const search = new WorldSearch(incidents(3), incidentOnParticipations);
    const since = '2026-01-01T00:00:00.000Z';

    const { report } = await run(search, { paused: new Map([[name, since]]) });

    expect(report).toMatchObject({ drift: 0, copies: 0, paused: { [name]: since } });
  });

  test('is not finished while somebody is suspected', async () => {
    const search = new WorldSearch(incidents(10));
    const end = search.clock.now() + 2000;

    const { report, told } = await run(search, { share: 1, stopLooking: () => search.clock.now() >= end });

    expect(report).toMatchObject({ items: 20, copies: 20, drift: 0, finished: false, waiting: 10 });
    expect(told).toEqual([]);
    expect(search.clock.now()).toBe(end);
  });
});

function incidents(count: number) {
  return Array.from({ length: count }, (_, n) => [
    anIncident({ Part: `acct_${n}#incidents` }),
    aParticipation('ann', { Part: `acct_${n}#incident_a#participations`, Lead: 'Erik' }),
  ]).flat();
}

async function run(search: WorldSearch, options: Partial<VerifySampleContext>) {
  const told: Drift[] = [];
  const reports: VerifyReport[] = [];
  let state = 11;
  // It chooses these itself.
  const { passes, orphans, concurrency, onDrift, ...context } = search.search();
  const report = await verifyShare({
    ...context,
    paused: new Map(),
    share: 1,
    random: () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    },
    telemetry: {
      drifted: (drift) => told.push(drift),
      verified: (one) => reports.push(one),
    },
    ...options,
  });
  expect(reports).toEqual([report]);
  return { report, told };
}
