import { describe, expect, test } from 'vitest';
import { Findings } from '../../../src/simulator/oracle/findings.ts';
import { Clock } from '../../../src/simulator/world/clock.ts';
import { LateEffects } from '../../../src/simulator/world/late-effects.ts';
import { SimulatedQueue } from '../../../src/simulator/world/simulated-queue.ts';

describe('a request that its invocation has given up', () => {
  test('takes effect once, when it is told to', () => {
    const late = new LateEffects(new Clock(), 1000);
    let done = 0;
    late.add('i1 update', () => {
      done += 1;
    });

    expect([done, late.texts()]).toEqual([0, ['i1 update']]);
    expect([late.take('i1 update'), late.take('i1 update'), done]).toEqual([true, false, 1]);
  });

  test('takes no effect after its time', () => {
    const clock = new Clock();
    const late = new LateEffects(clock, 1000);
    late.add('i1 update', () => expect.unreachable());
    clock.now += 1001;

    expect([late.nextEnd(), late.take('i1 update')]).toEqual([undefined, false]);
  });
});

test('a message that two invocations have is gone when one of them has seen to it', () => {
  const queue = new SimulatedQueue(new Clock(), new Findings({ rules: [], aggregates: [], archives: [] }));
  queue.send([{ rule: 'r', root: { pk: 'A', sk: 'a' }, cause: 'changed', attempts: 0 }]);
  const given = queue.receive(0, 1);

  expect(queue.receive(0, 1)).toEqual([]);
  expect(queue.receive(0, 1, true)).toEqual(given);

  queue.correct(given, () => false);
  queue.correct(given, () => true);

  expect([queue.messages(), queue.dead]).toEqual([[], []]);
});
