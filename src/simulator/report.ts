import type { Violation } from './oracle/findings.ts';
import { fewSteps, type Summary } from './summary.ts';
import { type Step, stepText } from './world/step.ts';

export function failureText(
  { outcome, shrunk }: Summary['failures'][number],
  command: string,
  textOf: typeof stepText = stepText,
): string {
  const many = shrunk.steps.length > fewSteps ? `: more than ${fewSteps} could not be left out` : '';
  return [
    `seed ${outcome.seed} fails after ${outcome.steps.length} steps, ${shrunk.steps.length} of which matter${many}:`,
    ...stepLines(shrunk.steps, (step) => abbreviated(textOf(step))),
    '  then the world comes to rest, without faults',
    ...violationLines(shrunk.violations),
    `replay it with: ${command} --seed ${outcome.seed} --seeds 1`,
  ].join('\n');
}

/** A line for each step, with its number. */
export function stepLines(steps: readonly Step[], textOf: typeof stepText): string[] {
  return steps.map((step, index) => `  ${String(index + 1).padStart(2)}. ${textOf(step)}`);
}

/** A line for each promise that is broken. */
export function violationLines(violations: readonly Violation[]): string[] {
  return violations.map(({ invariant, what, where }) => `  promise ${invariant}: ${what}: ${where}`);
}

/** The line with what repeats itself in it many times written once: keys and values are long now and then. */
function abbreviated(line: string): string {
  return line.replace(
    /(.{1,6}?)\1{30,}/g,
    (all, one: string) => `${one}… (${all.length / one.length} times)`,
  );
}

/** Rules, aggregates and archive rules that wrote nothing which could have been wrong. */
export function unwrittenIn({ written }: Pick<Summary, 'written'>): string[] {
  return [...written].filter(([, times]) => times === 0).map(([rule]) => rule);
}

export function faultsIn({ faults }: Summary): number {
  return [...faults.values()].reduce((sum, count) => sum + count, 0);
}
