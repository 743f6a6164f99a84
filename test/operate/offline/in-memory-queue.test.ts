import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../src/develop/testing/table-model/virtual-clock.ts';
import type { DeadLetter, Message } from '../../../src/model/message.ts';
import { InMemoryQueue } from '../../../src/operate/offline/in-memory-queue.ts';

describe('an in-memory queue', () => {
  test('returns due messages in the order in which they were sent', async () => {
    const { queue } = aQueue();
    await queue.send([message('a'), message('b')]);
    await queue.send([message('c')], 60);

    expect((await queue.takeDue()).map(({ rule }) => rule)).toEqual(['a', 'b']);
  });

  test('waits for delayed messages, and not longer', async () => {
    const { queue, clock } = aQueue();
    await queue.send([message('later')], 60);
    await queue.send([message('sooner')], 5);

    expect((await queue.takeDue()).map(({ rule }) => rule)).toEqual(['sooner']);
    expect(clock.now()).toBe(5000);
    expect((await queue.takeDue()).map(({ rule }) => rule)).toEqual(['later']);
    expect(clock.now()).toBe(60_000);
    expect(await queue.takeDue()).toEqual([]);
  });

  test('does not wait if it is empty', async () => {
    const { queue, clock } = aQueue();

    expect(await queue.takeDue()).toEqual([]);
    expect(clock.now()).toBe(0);
  });

  test('does not wait if a message is due', async () => {
    const { queue, clock } = aQueue();
    await queue.send([message('now')]);
    await queue.send([message('later')], 60);
    const slept: number[] = [];
    clock.sleep = async (milliseconds) => void slept.push(milliseconds);

    expect(await queue.takeDue()).toEqual([message('now')]);
    expect(slept).toEqual([]);
  });

  test('returns undelayed messages and keeps the rest', async () => {
    const { queue } = aQueue();
    await queue.send([message('recheck')], 60);
    await queue.send([message('rest')]);

    expect(queue.takeUndelayed()).toEqual([message('rest')]);
    expect(queue.takeUndelayed()).toEqual([]);
    expect(queue.waitingNow()).toEqual([{ message: message('recheck'), delaySeconds: 60 }]);
  });
});

function aQueue() {
  const clock = new VirtualClock(0);
  const deadLettered: DeadLetter[] = [];
  const queue = new InMemoryQueue(clock, {
    async deadLetter(things) {
      deadLettered.push(...things);
    },
  });
  return { clock, queue, deadLettered };
}

function message(rule: string): Message {
  return { rule, root: { pk: 'p', sk: 's' }, cause: 'repair', attempts: 0 };
}
