import { expect, test } from 'vitest';
import { Suspects, type SuspectsOptions } from '../../../src/worker/verify/suspects.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

interface Suspect {
  readonly name: string;
  readonly dueAt: number;
}

const never = () => false;

/** Suspects that are due five seconds after they were named, who was checked together, and when the clock slept. */
function stage(lookAgain?: SuspectsOptions<Suspect>['lookAgain']) {
  const clock = new VirtualClock(0);
  const slept: number[] = [];
  const checked: string[][] = [];
  const suspects = new Suspects<Suspect>({
    clock: {
      now: () => clock.now(),
      sleep: (milliseconds) => {
        slept.push(milliseconds);
        return clock.sleep(milliseconds);
      },
    },
    atOnce: 2,
    async lookAgain(due) {
      checked.push(due.map(({ name }) => name));
      return lookAgain?.(due) ?? { again: [] };
    },
  });
  const suspect = (...names: string[]) =>
    suspects.add(names.map((name) => ({ name, dueAt: clock.now() + 5000 })));
  return { clock, slept, checked, suspects, suspect, listed: () => suspects.list().map(({ name }) => name) };
}

test('the wait for suspects ends when the first is due, and few are left', async () => {
  const { clock, suspects, suspect, checked } = stage();
  suspect('ann');
  await clock.sleep(4100);
  suspect('bob');

  await suspects.untilAtMost(1, never);

  expect(clock.now()).toBe(5000);
  expect(checked).toEqual([['ann']]);
});

test.each([5000, 60_000])('does not sleep after %i ms, when their time has come', async (passed) => {
  const { clock, slept, suspects, suspect, checked } = stage();
  suspect('ann');
  await clock.sleep(passed);

  await suspects.untilAtMost(0, never);

  expect([checked, slept]).toEqual([[['ann']], []]);
});

test('suspects are checked so many at once, and those to be checked again stay', async () => {
  const { clock, suspects, suspect, checked, listed } = stage(async (due) => ({
    again: due.filter(({ name }) => name === 'bob').map((one) => ({ ...one, dueAt: 9000 })),
  }));
  suspect('ann', 'bob', 'carl');
  await clock.sleep(5000);

  await suspects.lookAtDue(never);

  expect(checked).toEqual([['ann', 'bob'], ['carl']]);
  expect(listed()).toEqual(['bob']);
});

test('suspects stay listed until they are done with', async () => {
  const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
  const done: string[][] = [];
  const { clock, suspects, suspect, listed } = stage(async ([first]) => {
    if (first?.name === 'bob') await heard;
    return { again: [], done: () => void done.push(listed()) };
  });
  suspect('bob');
  await clock.sleep(1000);
  suspect('ann');
  await clock.sleep(4000);
  const bobs = suspects.lookAtDue(never);
  await clock.sleep(1000);

  await suspects.lookAtDue(never);
  expect(listed()).toEqual(['bob']);

  hear();
  await bobs;
  expect(listed()).toEqual([]);
  // At that moment, they are listed no more.
  expect(done).toEqual([['bob'], []]);
});

test('suspects stay unchanged if their check fails', async () => {
  const { clock, suspects, suspect } = stage(async () => {
    throw new Error('nothing is read');
  });
  suspect('ann', 'bob');
  const before = suspects.list();
  await clock.sleep(5000);

  await expect(suspects.lookAtDue(never)).rejects.toThrow('nothing is read');
  expect(suspects.list()).toEqual(before);
});
