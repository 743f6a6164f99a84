import { allOthers, type Step } from '../world/step.ts';
import type { Attempt } from './attempt.ts';

type Read = Extract<Step, { do: 'read' }>;

/** Gives a reader at once, and lets it finish, what it was given in two batches one after the other. */
export async function joinReads(attempt: Attempt): Promise<void> {
  for (let at = 0; at < readsOf(attempt.steps).length; ) if (!(await joinWithNext(attempt, at))) at += 1;
}

async function joinWithNext(attempt: Attempt, at: number): Promise<boolean> {
  const reads = readsOf(attempt.steps);
  const one = reads[at];
  const other =
    one && reads.slice(at + 1).find(({ reader, shard }) => reader === one.reader && shard === one.shard);
  if (one === undefined || other === undefined) return false;
  const most = one.most + other.most;
  for (const [kept, gone] of [
    [other, one],
    [one, other],
  ] as const) {
    const read = { ...kept, most, requestsInTime: undefined };
    const left = attempt.steps.filter((step) => step !== gone && !isOf(step, gone.name));
    if (await attempt.with(left.map((step) => (step === kept ? read : step)))) return true;
    const whole = left.filter((step) => !isOf(step, kept.name));
    if (await attempt.with(whole.flatMap((step) => (step === kept ? [read, finished(kept.name)] : [step]))))
      return true;
  }
  return false;
}

function finished(invocation: string): Step {
  return { do: 'serve', invocation, request: undefined, fault: undefined, more: allOthers };
}

function isOf(step: Step, name: string): boolean {
  return 'invocation' in step && step.invocation === name;
}

function readsOf(steps: readonly Step[]): Read[] {
  return steps.flatMap((step) => (step.do === 'read' && step.again === 'next' ? [step] : []));
}
