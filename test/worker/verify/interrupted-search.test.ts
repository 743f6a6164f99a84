import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import { Budget } from '../../../src/worker/budget.ts';
import { Interrupted } from '../../../src/worker/scan/metered-table.ts';
import { isFinished } from '../../../src/worker/scan/scan-table.ts';
import {
  driftIn,
  type VerifyState,
  verifyStateSchema,
  waitingIn,
} from '../../../src/worker/verify/verify-state.ts';
import { maxWaitForQueueMs } from '../../../src/worker/verify/verify-table.ts';
import { anIncident, aParticipation } from '../../fixtures/world/items.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';

describe('an interrupted search', () => {
  test('misses nothing and counts nothing twice, however often it is interrupted', async () => {
    const search = new WorldSearch(Array.from({ length: 150 }, (_, n) => wrong(n)).flat());
    let state: VerifyState | undefined;

    let runs = 0;
    for (; runs < 100; runs += 1) {
      let told = 0;
      const next: VerifyState = await search.run(
        {
          // A page of a few items each.
          budget: new Budget(0.3, search.clock),
          stop: () => told > 2,
          onState: () => {
            told += 1;
          },
        },
        state && verifyStateSchema.parse(JSON.parse(JSON.stringify(state))),
      );
      state = next;
      if (isFinished(state.point) && state.suspectedDrifts.length === 0) break;
    }

    expect(runs).toBeGreaterThan(2);
    expect(state && driftIn(state)).toBe(150);
    expect(new Set(search.lines()).size).toBe(150);
    expect(search.lines()).toHaveLength(150);
    expect(state?.items).toBe(300);
    expect(state?.rules['incident-on-participations']?.copies).toBe(150);
  });

  test('ends if the table stays unavailable, and retries before', async () => {
    const search = new WorldSearch(wrong(1));
    let refusals = 3;
    search.port.before = () => {
      refusals -= 1;
      if (refusals >= 0) throw new TransientError('aws.throttled', 'throttled');
    };

    await search.run();
    expect(search.lines()).toHaveLength(1);

    refusals = 100;
    await expect(search.run()).rejects.toThrow('throttled');
  });

  test('takes nothing for drift that a fan-out in the queue corrects', async () => {
    const search = new WorldSearch(wrong(1));
    const corrected = search.clock.now() + 360_000;
    const queue = {
      look: async () => {
        if (search.clock.now() < corrected) return { messages: 1 };
        search.table.put(aParticipation('ann', { Part: 'acct_1#incident_1#participations' }));
        return { messages: 0 };
      },
    };

    const state = await search.run({ queue });

    expect(search.lines()).toEqual([]);
    expect([driftIn(state), state.suspectedDrifts]).toEqual([0, []]);
    expect(search.clock.now()).toBeLessThan(corrected + 20_000);
  });

  test('says of a copy that it waits for the queue, not that it has drifted', async () => {
    const search = new WorldSearch(wrong(1));
    let looks = 0;
    const queue = {
      look: async () => {
        looks += 1;
        return { messages: 1 };
      },
    };

    const state = await search.run({ queue, stopLooking: () => looks > 3 });

    expect([driftIn(state), waitingIn(state), state.suspectedDrifts.length]).toEqual([0, 1, 1]);
    expect(search.lines()).toEqual([]);
    const changed = new WorldSearch(wrong(1));
    const again = await changed.run({ queue: { look: async () => ({ messages: 0 }) } }, state);
    expect([driftIn(again), waitingIn(again)]).toEqual([1, 0]);
  });

  test('waits ten minutes at most for a queue that is never empty', async () => {
    const search = new WorldSearch(wrong(1));
    const began = search.clock.now();

    await search.run({ queue: { look: async () => ({ messages: 7 }) } });

    expect(search.lines()).toHaveLength(1);
    expect(search.clock.now() - began).toBeGreaterThanOrEqual(maxWaitForQueueMs);
    expect(search.clock.now() - began).toBeLessThan(maxWaitForQueueMs + 30_000);
  });

  test('looks only once more at what is invalid, which no message corrects', async () => {
    const { State: _, ...incident } = anIncident();
    const search = new WorldSearch([incident, aParticipation('ann')]);
    const began = search.clock.now();

    await search.run({ queue: { look: async () => ({ messages: 7 }) } });

    expect(search.found.map(({ code }) => code)).toEqual(['root.invalid']);
    expect(search.clock.now() - began).toBeLessThan(30_000);
  });

  test('does not wait for the messages of a paused rule', async () => {
    const search = new WorldSearch(wrong(1));
    const began = search.clock.now();
    const paused = new Map([['incident-on-participations', '2026-01-31T14:00:00Z']]);

    await search.run({ queue: { look: async () => ({ messages: 7 }) }, paused });

    expect(search.lines()).toHaveLength(1);
    expect(search.clock.now() - began).toBeLessThan(20_000);
  });

  test.each([[{ messages: 0 }], [{ unseen: 'denied' }]])(
    'waits for no queue that is empty or cannot be seen: %j',
    async (backlog) => {
      const search = new WorldSearch(wrong(1));
      const began = search.clock.now();

      await search.run({ queue: { look: async () => backlog } });

      expect(search.lines()).toHaveLength(1);
      expect(search.clock.now() - began).toBeLessThan(20_000);
    },
  );

  test('keeps its suspects when it is interrupted during a second check', async () => {
    const search = new WorldSearch(wrong(1));
    const began = search.clock.now();
    search.port.before = () => {
      if (search.clock.now() > began) throw new Interrupted();
    };

    const state = await search.run();

    expect(isFinished(state.point)).toBe(true);
    expect(state.suspectedDrifts).toMatchObject([{ rule: 'incident-on-participations', looks: 1, left: 0 }]);
    expect(search.lines()).toEqual([]);
  });
});

function wrong(number: number) {
  return [
    anIncident({ Sort: `incident_${number}` }),
    aParticipation('ann', { Part: `acct_1#incident_${number}#participations`, Lead: 'Erik' }),
  ];
}
