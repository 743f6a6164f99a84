import { describe, expect, test } from 'vitest';
import { Unavailable, Unworkable } from '../../src/model/errors.ts';
import type { Message, Parked } from '../../src/model/message.ts';
import type { Engine } from '../../src/propagation/context.ts';
import type { DeadLetterPort, Settings } from '../../src/ports.ts';
import { QueueAtHand } from '../../src/propagation/in-memory-queue.ts';
import { takeTurns } from '../../src/propagation/take-turns.ts';
import { VirtualClock } from '../table-model/virtual-clock.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import { keyIn, workerOver } from '../fixtures/cruises/cruise-worker.ts';

const guests = Array.from({ length: 13 }, (_, index) => `guest-${String(index).padStart(2, '0')}`);
const voyageTurn: Message = {
  ...{ rule: 'voyage-on-bookings', root: keyIn(aVoyage()), cause: 'changed', hops: 0 },
};

function stage(
  items: Parameters<typeof workerOver>[0],
  settings: Partial<Settings>,
  deadLetters?: DeadLetterPort,
) {
  const worker = workerOver(items, settings);
  const clock = new VirtualClock(0);
  const parked: Parked[] = [];
  const queue = new QueueAtHand(
    clock,
    deadLetters ?? {
      async park(things) {
        parked.push(...things);
      },
    },
  );
  const engine: Engine = { ...worker.engine, queue, now: () => clock.now() };
  return { worker, clock, parked, engine, take: (message: Message) => takeTurns(engine, queue, [message]) };
}

describe('takeTurns', () => {
  test('visits all pages of a fan-out', async () => {
    const { worker, take } = stage(
      [aVoyage({ State: 'CLOSED' }), ...guests.map((guest) => aBooking(guest))],
      { pageLimit: 5 },
    );
    await take(voyageTurn);

    const states = worker.table.partition('line_1#voyage_a#bookings').map(({ State }) => State);
    expect(states).toEqual(guests.map(() => ({ S: 'CLOSED' })));
  });

  test('waits for what an index may show late', async () => {
    const { worker, clock, take } = stage([aSailor({ Name: 'Ahab' }), aCrewing('pequod')], {
      settleDelaySeconds: 60,
    });
    await take({ rule: 'name-on-crew', root: keyIn(aSailor()), cause: 'changed', hops: 0 });

    expect(clock.now()).toBe(60_000);
    expect(worker.telemetry.turns.map(({ settle }) => settle)).toEqual([false, true]);
  });

  test('waits for retries, longer with each, and parks what they do not help', async () => {
    const { worker, clock, parked, take } = stage([aVoyage()], { maxUnavailableSeconds: 15 });
    worker.port.get = async () => {
      throw new Unavailable('aws.throttled', 'GetItem was throttled');
    };
    await take(voyageTurn);

    expect(clock.now()).toBe(16_000);
    expect(parked).toMatchObject([{ code: 'unavailable.too-long' }]);
  });

  test('rejects where what must be parked cannot be', async () => {
    const { take } = stage(
      [aVoyage({ State: undefined })],
      {},
      {
        async park() {
          throw new Unavailable('queue.refused', 'nowhere to park');
        },
      },
    );

    await expect(take({ ...voyageTurn, rule: 'of-yesterday' })).rejects.toThrow('nowhere to park');
  });

  test('rejects where nothing could be worked on', async () => {
    const { worker, take } = stage([aVoyage()], {});
    worker.port.get = async () => {
      throw new Unworkable('aws.denied', 'GetItem was denied');
    };

    await expect(take(voyageTurn)).rejects.toThrow('GetItem was denied');
  });
});
