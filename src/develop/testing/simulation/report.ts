import type { Outcome } from './run.ts';
import { fewSteps } from './shrink.ts';
import { type Step, stepText } from './world/step.ts';

/** What a person needs to see of a failing seed: what broke, the steps that matter, and how to see it again. @param command that plays seeds */
export function failureText(outcome: Outcome, shrunk: Outcome, length: number, command: string): string {
  return [
    ...failureLines(outcome, shrunk, (step) => stepText(step)),
    `replay it with: ${command} --seed ${outcome.seed} --seeds 1 --steps ${length}`,
  ].join('\n');
}

/** What broke, and the steps that matter, as lines. */
export function failureLines(outcome: Outcome, shrunk: Outcome, textOf: (step: Step) => string): string[] {
  const broken = shrunk.violations.map(
    ({ invariant, what, where }) => `  promise ${invariant}: ${what}: ${where}`,
  );
  const steps = shrunk.steps.map(
    (step, index) => `  ${String(index + 1).padStart(2)}. ${abbreviated(textOf(step))}`,
  );
  const many = shrunk.steps.length > fewSteps ? `: more than ${fewSteps} could not be left out` : '';
  return [
    `seed ${outcome.seed} fails after ${outcome.steps.length} steps, ${shrunk.steps.length} of which matter${many}:`,
    ...steps,
    '  then the world comes to rest, without faults',
    ...broken,
  ];
}

/** The line with what repeats itself in it many times written once: keys and values are long now and then. */
function abbreviated(line: string): string {
  return line.replace(
    /(.{1,6}?)\1{30,}/g,
    (all, one: string) => `${one}… (${all.length / one.length} times)`,
  );
}
