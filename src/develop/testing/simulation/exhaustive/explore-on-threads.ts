import { Worker } from 'node:worker_threads';
import { counted } from '../../../page/protocol/texts.ts';
import { stepLines, violationLines } from '../report.ts';
import { stepText } from '../world/step.ts';
import type { Explored, SmallWorld } from './explore.ts';

/** A thread is asked to explore a world by its place in the list, and answers how far it is, and then what it found. */
export interface ExploreAsked {
  readonly explore: number;
}

export interface ExploreAnswer {
  readonly explored: number;
  readonly found: Explored;
  readonly ended: boolean;
}

export interface ExploringOnThreads {
  /** A module that answers {@link ExploreAsked}, and what it is started with. */
  readonly module: URL;
  readonly data?: unknown;
  readonly workers: number;
  readonly minutes: number;
  readonly stopped: () => boolean;
  readonly progress: (states: number) => void;
}

/** Explores every world, several at once. @returns what was found of each, in their order; unfinished where it was stopped */
export async function exploreOnThreads(
  worlds: readonly SmallWorld[],
  { module, data, workers, minutes, stopped, progress }: ExploringOnThreads,
): Promise<readonly Explored[]> {
  const found: Explored[] = worlds.map(() => ({ states: 0, ends: 0, finished: false }));
  const waiting = worlds.keys();
  const end = performance.now() + minutes * 60_000;
  const isOver = () => stopped() || performance.now() > end;
  const threads = Array.from(
    { length: Math.min(workers, worlds.length) },
    () => new Worker(module, { workerData: data }),
  );
  const work = (thread: Worker) =>
    new Promise<void>((done, failed) => {
      const next = () => {
        const { value, done: isLast } = waiting.next();
        if (isLast || isOver()) done();
        else thread.postMessage({ explore: value } satisfies ExploreAsked);
      };
      thread.on('message', ({ explored, found: one, ended }: ExploreAnswer) => {
        found[explored] = one;
        progress(found.reduce((sum, { states }) => sum + states, 0));
        if (ended) next();
        else if (isOver()) done();
      });
      thread.on('error', failed);
      next();
    });
  try {
    await Promise.all(threads.map(work));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
  return found;
}

/** A line for each world, with the shortest schedule that breaks a promise. */
export function exploredText(
  worlds: readonly SmallWorld[],
  found: readonly Explored[],
  textOf: typeof stepText = stepText,
): string {
  return worlds.flatMap((world, index) => linesOf(world, found[index], textOf)).join('\n');
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
  if (violation === undefined)
    return [`${about}: ${covered}, ${finished ? 'no violation' : 'not finished, no violation so far'}`];
  return [
    `${about}: a promise is broken in ${counted(violation.steps.length, 'step')}:`,
    ...stepLines(violation.steps, textOf),
    ...violationLines(violation.violations),
  ];
}
