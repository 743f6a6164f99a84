import { describe, expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { Message } from '../../../src/model/work/message.ts';
import {
  type DeadLetterReader,
  type FoundDeadLetter,
  groupDeadLetters,
} from '../../../src/operate/dead-letters/dead-letters.ts';
import type { FailedBatches } from '../../../src/operate/dead-letters/failed-batch.ts';
import { planRedrive, redriveDeadLetters } from '../../../src/operate/dead-letters/redrive-dead-letters.ts';
import { Budget } from '../../../src/worker/budget.ts';
import { loadRules } from '../../fixtures/application/load-rules.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { message } from '../../suites/queue-port.suite.ts';

const votes = config.registry();
const registry = loadRules({ statusShards: 1, disabled: [] });

let made = 0;

function deadLetter(asked: Message): FoundDeadLetter {
  made += 1;
  return { id: `m${made}`, at: made, code: 'root.invalid', reason: 'why', message: asked };
}

function planOf(deadLetters: readonly FoundDeadLetter[], allowRemove = false) {
  return planRedrive(groupDeadLetters(deadLetters), { registry, allowRemove });
}

describe('planRedrive', () => {
  test('sends each message once, with its attempts reset', () => {
    const asked = message('ORDER#1');
    const deadLetters = [
      deadLetter({ ...asked, attempts: 12 }),
      deadLetter(asked),
      deadLetter({ ...asked, attempts: 3 }),
    ];

    expect(planOf(deadLetters).send).toEqual([{ message: { ...asked, attempts: 0 }, deadLetters }]);
  });

  test('leaves out removals unless they are requested', () => {
    const causes = ['deleted', 'expired', 'changed', 'check', 'repair'] as const;
    const deadLetters = causes.map((cause) => deadLetter({ ...message('ORDER#1'), cause }));

    const careful = planOf(deadLetters);
    expect(careful.send.map((one) => one.message.cause)).toEqual(['changed', 'check', 'repair']);
    expect(careful.kept.removals).toEqual(deadLetters.slice(0, 2));
    expect(planOf(deadLetters, true)).toMatchObject({ kept: { removals: [] }, send: { length: 5 } });
  });

  test('sends those of an aggregate too', () => {
    const deadLetters = [deadLetter({ ...message('CONTENDER#1'), rule: 'contender-totals' })];
    const plan = planRedrive(groupDeadLetters(deadLetters), { registry: votes, allowRemove: false });

    expect(plan).toMatchObject({ send: { length: 1 }, kept: { unknownRule: [] } });
  });

  test('leaves out those of rules that are paused, where nothing would hold them', () => {
    const [held, sent] = [
      deadLetter(message('ORDER#1')),
      deadLetter({ ...message('ORDER#1'), rule: 'paid' }),
    ];
    const plan = planRedrive(groupDeadLetters([held, sent]), {
      registry: { rule: () => ({}) as never, aggregate: () => undefined },
      allowRemove: false,
      paused: new Map([[message('ORDER#1').rule, '2026-01-01T00:00:00.000Z']]),
    });

    expect(plan).toMatchObject({ send: [{ deadLetters: [sent] }], kept: { paused: [held] } });
  });

  test('leaves out dead letters that cannot be propagated', () => {
    const unknown = deadLetter({ ...message('ORDER#1'), rule: 'of-yesterday' });
    const record: FoundDeadLetter = { id: 'r', at: 1, code: 'record.unreadable', reason: 'why', record: '1' };
    const unreadable: FoundDeadLetter = { id: 'u', at: 2, code: 'dead-letter.unreadable', reason: 'why' };
    const stored = { batches: {} as FailedBatches, key: 'k' };
    const batch: FoundDeadLetter = { id: 'b', at: 3, code: 'batch.given-up', reason: 'why', batch: stored };

    expect(planOf([unknown, record, unreadable, batch])).toEqual({
      send: [],
      batches: [stored],
      kept: { removals: [], unknownRule: [unknown], paused: [], withoutMessage: [record, unreadable] },
    });
  });
});

describe('redriveDeadLetters', () => {
  /** Everything that happens, in its order, with the seconds at which it does. */
  function stage(rate: number, fails: { deliver?: number; remove?: number } = {}) {
    const clock = new VirtualClock(0);
    const log: string[] = [];
    const calls = { deliver: 0, remove: 0 };
    const happens = (what: 'deliver' | 'remove', count: number) => {
      calls[what] += 1;
      if (calls[what] === fails[what]) throw new TransientError('queue.refused', 'for now');
      log.push(`${what} ${count} at ${clock.now() / 1000}`);
    };
    const reader: DeadLetterReader = {
      look: async () => 0,
      remove: async (deadLetters) => happens('remove', deadLetters.length),
      close: async () => 0,
    };
    const deliver = async (messages: readonly Message[]) => happens('deliver', messages.length);
    return { log, clock, work: { reader, deliver, budget: new Budget(rate, clock), stop: () => false } };
  }

  const asked = (count: number) =>
    planOf(Array.from({ length: count }, (_, index) => deadLetter(message(`ORDER#${index}`)))).send;

  test('removes a dead letter only after its message is delivered', async () => {
    const { log, work } = stage(Number.POSITIVE_INFINITY);
    expect(await redriveDeadLetters({ ...work, send: asked(12) })).toEqual({
      messages: 12,
      deadLetters: 12,
      error: undefined,
    });
    expect(log).toEqual(['deliver 10 at 0', 'remove 10 at 0', 'deliver 2 at 0', 'remove 2 at 0']);
  });

  test('delivers messages in their order, and removes all dead letters with a message', async () => {
    const { log, work } = stage(Number.POSITIVE_INFINITY);
    const twice = [deadLetter(message('a')), deadLetter({ ...message('a'), attempts: 4 })];
    const { send } = planOf([...twice, deadLetter(message('b'))]);
    const delivered: Message[] = [];
    const deliver = async (messages: readonly Message[]) => void delivered.push(...messages);

    expect(await redriveDeadLetters({ ...work, send, deliver })).toMatchObject({
      messages: 2,
      deadLetters: 3,
    });
    expect(delivered).toEqual(send.map((one) => one.message));
    expect(log.at(-1)).toMatch(/^remove 3 /);
  });

  test('keeps to its rate', async () => {
    const { log, work } = stage(10);
    await redriveDeadLetters({ ...work, send: asked(1000) });
    const delivered = log.filter((line) => line.startsWith('deliver'));
    const seconds = Number(delivered.at(-1)?.split(' ').at(-1));

    expect(delivered).toHaveLength(100);
    // 1,000 messages at 10 a second.
    expect(seconds).toBe(100);
  });

  test('sends one message at a time at a rate below two a second', async () => {
    const { log, work } = stage(0.5);
    await redriveDeadLetters({ ...work, send: asked(4) });

    expect(log.filter((line) => line.startsWith('deliver'))).toEqual([
      ...['deliver 1 at 2', 'deliver 1 at 4', 'deliver 1 at 6', 'deliver 1 at 8'],
    ]);
  });

  test('keeps the dead letters of undelivered messages, and reports its progress', async () => {
    const { log, work } = stage(1000, { deliver: 2 });
    const outcome = await redriveDeadLetters({ ...work, send: asked(25) });

    expect(outcome).toMatchObject({ messages: 10, deadLetters: 10, error: { code: 'queue.refused' } });
    expect(log.filter((line) => line.startsWith('remove'))).toHaveLength(1);
  });

  test('reports delivered messages although their dead letters could not be removed', async () => {
    const { work } = stage(1000, { remove: 1 });
    expect(await redriveDeadLetters({ ...work, send: asked(3) })).toMatchObject({
      ...{ messages: 3, deadLetters: 0, error: { code: 'queue.refused' } },
    });
  });

  test('sends nothing more if it is stopped while it waits for its rate', async () => {
    const { log, clock, work } = stage(1);
    await redriveDeadLetters({ ...work, send: asked(9), stop: () => clock.now() >= 5_000 });

    expect(log.filter((line) => line.startsWith('deliver'))).toHaveLength(4);
  });

  test('stops between two batches', async () => {
    const { log, work } = stage(1000);
    let delivered = 0;
    const outcome = await redriveDeadLetters({
      ...work,
      send: asked(25),
      stop: () => delivered >= 10,
      onDelivered: (messages) => {
        delivered = messages;
      },
    });

    expect(outcome).toEqual({ messages: 10, deadLetters: 10, error: undefined });
    expect(log).toHaveLength(2);
  });
});
