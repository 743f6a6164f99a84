import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { DeadLetter, Message } from '../../../src/model/work/message.ts';
import { drain, InMemoryQueue } from '../../../src/operate/drift/drain.ts';
import type { DeadLetterPort, Settings } from '../../../src/worker/ports.ts';
import type { PropagationContext } from '../../../src/worker/propagation/context.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { anIncident } from '../../fixtures/world/items.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const incidentTurn: Message = {
  ...{ rule: 'incident-on-participations', root: keyIn(anIncident()), cause: 'changed', attempts: 0 },
};

function stage(
  items: Parameters<typeof workerOver>[0],
  settings: Partial<Settings>,
  deadLetters?: DeadLetterPort,
) {
  const worker = workerOver(items, settings);
  const clock = new VirtualClock(0);
  const deadLettered: DeadLetter[] = [];
  const queue = new InMemoryQueue(
    clock,
    deadLetters ?? {
      async deadLetter(things) {
        deadLettered.push(...things);
      },
    },
  );
  const context: PropagationContext = { ...worker.context, queue, clock };
  return {
    worker,
    clock,
    deadLettered,
    context,
    take: (message: Message) => drain(context, queue, [message]),
  };
}

describe('drain', () => {
  test('waits longer for each retry, and dead-letters work that keeps failing', async () => {
    const { worker, clock, deadLettered, take } = stage([anIncident()], { maxUnavailableSeconds: 15 });
    worker.port.get = async () => {
      throw new TransientError('aws.throttled', 'GetItem was throttled');
    };
    await take(incidentTurn);

    expect(clock.now()).toBe(16_000);
    expect(deadLettered).toMatchObject([{ code: 'unavailable.too-long' }]);
  });

  test('rejects if a message cannot be dead-lettered', async () => {
    const { take } = stage(
      [anIncident({ State: undefined })],
      {},
      {
        async deadLetter() {
          throw new TransientError('queue.refused', 'nowhere to dead-letter');
        },
      },
    );

    await expect(take({ ...incidentTurn, rule: 'of-yesterday' })).rejects.toThrow('nowhere to dead-letter');
  });
});

describe('an in-memory queue', () => {
  const named = (rule: string): Message => ({ ...incidentTurn, rule });
  const aQueue = () => {
    const clock = new VirtualClock(0);
    return { clock, queue: new InMemoryQueue(clock, { deadLetter: async () => {} }) };
  };

  test('waits for delayed messages, and not longer', async () => {
    const { queue, clock } = aQueue();
    await queue.send([named('later')], 60);
    await queue.send([named('sooner'), named('as soon')], 5);

    expect((await queue.takeDue()).map(({ rule }) => rule)).toEqual(['sooner', 'as soon']);
    expect(clock.now()).toBe(5000);
    expect((await queue.takeDue()).map(({ rule }) => rule)).toEqual(['later']);
    expect(clock.now()).toBe(60_000);
    expect(await queue.takeDue()).toEqual([]);
    expect(clock.now()).toBe(60_000);
  });

  test('does not wait if a message is due', async () => {
    const { queue, clock } = aQueue();
    await queue.send([named('now')]);
    await queue.send([named('later')], 60);

    expect(await queue.takeDue()).toEqual([named('now')]);
    expect(clock.now()).toBe(0);
  });
});
