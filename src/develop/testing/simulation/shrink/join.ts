import { allOthers, type Step } from '../world/step.ts';
import type { Attempt } from './attempt.ts';

type Serve = Extract<Step, { do: 'serve' }>;

/**
 * Lets an invocation do in one go what it did in several steps: all of it where its first step stood, or its last, and
 * else two steps of it at a time.
 */
export async function joinRequests(attempt: Attempt): Promise<void> {
  const names = new Set(attempt.steps.flatMap((step) => (step.do === 'serve' ? [step.invocation] : [])));
  for (const name of names) {
    if (await joinAll(attempt, name)) continue;
    for (let at = 0; at + 1 < servesOf(attempt.steps, name).length; )
      if (!(await joinTwo(attempt, name, at))) at += 1;
  }
}

async function joinAll(attempt: Attempt, name: string): Promise<boolean> {
  const serves = servesOf(attempt.steps, name);
  const [first] = serves;
  const last = serves.at(-1);
  if (first === undefined || last === undefined || serves.length < 2) return true;
  for (const location of [first, last])
    if (await attempt.with(joined(attempt.steps, name, serves, location, { ...all(first) }))) return true;
  return false;
}

async function joinTwo(attempt: Attempt, name: string, at: number): Promise<boolean> {
  const serves = servesOf(attempt.steps, name);
  const [one, other] = serves.slice(at, at + 2);
  if (one === undefined || other === undefined) return false;
  const more = one.more + 1 + other.more;
  const both: Serve[] = [
    { ...one, more },
    { ...one, request: undefined, more },
    { ...other, request: undefined, more },
    { ...one, request: undefined, more: allOthers },
  ];
  for (const step of both)
    for (const location of [one, other])
      if (await attempt.with(joined(attempt.steps, name, [one, other], location, step))) return true;
  return false;
}

function all(first: Serve): Serve {
  return { ...first, request: undefined, fault: undefined, more: allOthers };
}

/** The steps with one of those of an invocation in place of some. */
function joined(
  steps: readonly Step[],
  name: string,
  instead: readonly Serve[],
  location: Serve,
  step: Serve,
): Step[] {
  const gone = new Set<Step>(instead);
  return steps.flatMap((one) =>
    one === location ? [{ ...step, invocation: name }] : gone.has(one) ? [] : [one],
  );
}

function servesOf(steps: readonly Step[], name: string): Serve[] {
  return steps.flatMap((step) => (step.do === 'serve' && step.invocation === name ? [step] : []));
}
