import { keyOf, keyText } from '../../../model/item.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { type Outcome, replay } from './run.ts';
import type { Scenario } from './scenario.ts';
import { allOthers, type Step, type Write } from './world/step.ts';
import type { Functions } from './world/worker-under-test.ts';

/** Steps and requests that shrinking plays at most: about 15 s of one core. A count, so that the same run shrinks to the same steps. */
const budget = 450_000;

export const fewSteps = 20;

/** Plays these steps instead, and keeps them if they break the same promise in the same way. */
type Attempt = (steps: readonly Step[]) => Promise<boolean>;

/** The steps of a failing run that matter: without any of them the promise is kept. The same run shrinks to the same steps. */
export async function shrink(scenario: Scenario, outcome: Outcome, functions?: Functions): Promise<Outcome> {
  const { table } = scenario(outcome.seed).registry;
  const broken = outcome.violations[0]?.what;
  let best = outcome;
  let left = budget;
  const attempt: Attempt = async (steps) => {
    if (left <= 0) return false;
    const tried = await replay(scenario, outcome.seed, steps, functions);
    left -= tried.steps.length + tried.requests + 20;
    if (tried.violations[0]?.what !== broken) return false;
    best = tried;
    return true;
  };
  const steps = () => best.steps;
  for (let before = Number.POSITIVE_INFINITY; best.steps.length < before && left > 0; ) {
    before = best.steps.length;
    await leaveOutRanges(attempt, steps);
    await leaveOutGroups(attempt, steps, table);
    await simplify(attempt, steps);
    await leaveOutRanges(attempt, steps);
    if (best.steps.length > fewSteps && best.steps.length === before) await leaveOutPairs(attempt, steps);
  }
  return best;
}

/** Halves, then quarters, down to single steps, the last of them first. */
async function leaveOutRanges(attempt: Attempt, steps: () => readonly Step[]): Promise<void> {
  for (let size = Math.ceil(steps().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let start = steps().length - size; start > -size; start -= size) {
      const left = [...steps().slice(0, Math.max(0, start)), ...steps().slice(start + size)];
      if (left.length < steps().length) await attempt(left);
    }
}

/** Two steps may be of no use without each other. */
async function leaveOutPairs(attempt: Attempt, steps: () => readonly Step[]): Promise<void> {
  for (let later = steps().length - 1; later > 0; later -= 1)
    for (let earlier = Math.min(later, steps().length) - 1; earlier >= 0; earlier -= 1)
      if (await attempt(steps().filter((_, index) => index !== earlier && index !== later))) break;
}

/** A kind of step, an invocation with all of its requests, what one application does, all writes to an item. */
async function leaveOutGroups(
  attempt: Attempt,
  steps: () => readonly Step[],
  table: TableNames,
): Promise<void> {
  for (const groupOf of [kindOf, invocationOf, whoOf])
    for (const group of new Set(steps().map(groupOf).toReversed())) {
      const left = steps().filter((step) => groupOf(step) !== group);
      if (group !== undefined && left.length < steps().length) await attempt(left);
    }
  const items = steps().flatMap((step) => writesOf(step).map((write) => itemOf(table, write)));
  for (const item of new Set(items))
    await attempt(steps().flatMap((step) => withWrites(step, (write) => itemOf(table, write) !== item)));
}

async function simplify(attempt: Attempt, steps: () => readonly Step[]): Promise<void> {
  for (let index = 0; index < steps().length; index += 1)
    for (const simpler of simplerThan(steps()[index])) {
      const before = steps().length;
      if (await attempt(steps().toSpliced(index, 1, ...simpler))) {
        if (steps().length < before) index -= 1;
        break;
      }
    }
}

/** No fault, all requests of an invocation in one go, fewer records or writes, time enough. */
function simplerThan(step: Step | undefined): (readonly Step[])[] {
  switch (step?.do) {
    case 'serve':
      return [
        ...(step.more === allOthers
          ? []
          : [[{ ...step, request: undefined, fault: undefined, more: allOthers }]]),
        ...(step.fault === undefined ? [] : [[{ ...step, fault: undefined }]]),
      ];
    case 'read':
    case 'receive':
      return [
        ...(step.requestsInTime === undefined ? [] : [[{ ...step, requestsInTime: undefined }]]),
        ...(step.do === 'receive' || step.again === 'next' ? [] : [[{ ...step, again: 'next' as const }]]),
        ...(step.most === 1 ? [] : [[{ ...step, most: 1 }]]),
      ];
    case 'write':
      return step.writes.length === 1
        ? []
        : step.writes.map((unwanted) => withWrites(step, (write) => write !== unwanted));
    default:
      return [];
  }
}

function withWrites(step: Step, isWanted: (write: Write) => boolean): Step[] {
  if (step.do !== 'write') return [step];
  const writes = step.writes.filter(isWanted);
  return writes.length === 0 ? [] : [{ ...step, writes }];
}

function kindOf(step: Step): string {
  return step.do === 'read' ? `read ${step.reader} ${step.again}` : step.do;
}

function invocationOf(step: Step): string | undefined {
  if ('name' in step) return step.name;
  return 'invocation' in step ? step.invocation : undefined;
}

function whoOf(step: Step): string | undefined {
  return step.do === 'write' ? step.who : undefined;
}

function writesOf(step: Step): readonly Write[] {
  return step.do === 'write' ? step.writes : [];
}

function itemOf(table: TableNames, write: Write): string {
  const key = 'put' in write ? keyOf(table, write.put) : 'delete' in write ? write.delete : write.update;
  return key === undefined ? '' : keyText(key);
}
