import { counted } from '../../model/basics/text.ts';
import { stepLines, violationLines } from '../report.ts';
import { onThreads, type Threads } from '../threads.ts';
import { stepText } from '../world/step.ts';
import type { Explored, SmallWorld } from './explore.ts';

export interface ExploringOnThreads extends Threads {
  readonly minutes: number;
  readonly stopped: () => boolean;
  readonly progress: (states: number) => void;
}

/** States of each world that are looked at first where time is limited, so that none waits for a large one. They are searched twice. */
const firstLook = 2000;

/**
 * Explores every world, several at once.
 * @returns what was found of each, in their order; unfinished where it was stopped
 */
export async function exploreOnThreads(
  worlds: readonly SmallWorld[],
  { minutes, stopped, progress, ...threads }: ExploringOnThreads,
): Promise<readonly Explored[]> {
  const found: Explored[] = worlds.map(() => ({ states: 0, ends: 0, finished: false }));
  const waiting: { world: number; most?: number }[] = [...worlds.keys()].map((world) => ({
    world,
    ...(Number.isFinite(minutes) && { most: firstLook }),
  }));
  const end = performance.now() + minutes * 60_000;
  await onThreads<Explored>(
    { ...threads, workers: Math.min(threads.workers, worlds.length) },
    () => waiting.shift(),
    () => stopped() || performance.now() > end,
    ({ job, found: one, ended }) => {
      if (!('world' in job)) return;
      const { world, most } = job;
      if (ended || one.states > (found[world]?.states ?? 0)) found[world] = one;
      if (ended && most !== undefined && !one.finished && one.violation === undefined)
        waiting.push({ world });
      progress(found.reduce((sum, { states }) => sum + states, 0));
    },
  );
  return found;
}

/** A line for each world, with the shortest schedule that breaks a promise. */
export function exploredText(
  worlds: readonly SmallWorld[],
  found: readonly Explored[],
  textOf: typeof stepText = stepText,
): string {
  const finished = found.filter((one) => one.finished).length;
  const broken = found.filter(({ violation }) => violation !== undefined).length;
  const sum = found.reduce((total, { states }) => total + states, 0);
  const verdict =
    broken > 0
      ? `a promise is broken in ${counted(broken, 'world')}`
      : finished === worlds.length
        ? 'no violation'
        : 'no violation so far, which is no proof: give it more --minutes, or none';
  return [
    ...worlds.flatMap((world, index) => linesOf(world, found[index], textOf)),
    `${finished} of ${counted(worlds.length, 'world')} finished, ${counted(sum, 'state')}: ${verdict}`,
  ].join('\n');
}

/** The same for machines. */
export function exploredJson(
  worlds: readonly SmallWorld[],
  found: readonly Explored[],
  textOf: typeof stepText = stepText,
) {
  return worlds.map(({ name, faults }, index) => {
    const { violation, ...counts } = found[index] ?? { states: 0, ends: 0, finished: false };
    const broken = violation && {
      steps: violation.steps.map((step) => textOf(step)),
      broken: violation.violations,
    };
    return { world: name, faults, ...counts, ...broken };
  });
}

function linesOf(
  { name, items, applications, faults }: SmallWorld,
  found: Explored | undefined,
  textOf: typeof stepText,
): string[] {
  const { states = 0, ends = 0, finished = false, violation } = found ?? {};
  const about = `${name} (${counted(items.length, 'item')}, ${counted(applications.flat().length, 'change')}, ${counted(faults, 'fault')})`;
  const covered = `${counted(states, 'state')}, ${counted(ends, 'end')}`;
  if (states === 0) return [`${about}: not begun`];
  if (violation === undefined)
    return [`${about}: ${covered}, ${finished ? 'no violation' : 'not finished, no violation so far'}`];
  return [
    `${about}: a promise is broken in ${counted(violation.steps.length, 'step')}:`,
    ...stepLines(violation.steps, textOf),
    ...violationLines(violation.violations),
  ];
}
