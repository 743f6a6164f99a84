import { keyOf, keyText } from '../../../../model/item.ts';
import type { TableNames } from '../../../../model/table-names.ts';
import type { Step, Write } from '../world/step.ts';
import type { Attempt } from './attempt.ts';

/** Leaves out halves of the steps, then quarters, down to single ones, the last of them first. */
export async function leaveOutRanges(attempt: Attempt): Promise<void> {
  for (let size = Math.ceil(attempt.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let start = attempt.steps.length - size; start > -size; start -= size) {
      const { steps } = attempt;
      const left = [...steps.slice(0, Math.max(0, start)), ...steps.slice(start + size)];
      if (left.length < steps.length) await attempt.with(left);
    }
}

/** Leaves out what belongs together: an invocation with all of its requests, a kind of step, what one application does. */
export async function leaveOutGroups(attempt: Attempt): Promise<void> {
  for (const groupOf of [kindOf, invocationOf, whoOf]) {
    const groups = [...new Set(attempt.steps.map(groupOf))].reverse();
    for (const group of groups) {
      const left = attempt.steps.filter((step) => groupOf(step) !== group);
      if (group !== undefined && left.length < attempt.steps.length) await attempt.with(left);
    }
  }
}

/** Leaves out two steps at once that are of no use without each other. */
export async function leaveOutPairs(attempt: Attempt): Promise<void> {
  for (let later = attempt.steps.length - 1; later > 0; later -= 1)
    for (let earlier = later - 1; earlier >= 0; earlier -= 1) {
      const left = attempt.steps.filter((_, index) => index !== earlier && index !== later);
      if (await attempt.with(left)) {
        later = Math.min(later, attempt.steps.length);
        break;
      }
    }
}

/** Leaves out single writes of steps that have several, and all writes to an item wherever they are. */
export async function leaveOutWrites(attempt: Attempt, names: TableNames): Promise<void> {
  const items = new Set(attempt.steps.flatMap((step) => writesOf(step).map((write) => itemOf(names, write))));
  for (const item of items) await without(attempt, (write) => itemOf(names, write) === item);
  for (let index = 0; index < attempt.steps.length; index += 1)
    for (let at = writesOf(attempt.steps[index]).length - 1; at >= 0; at -= 1) {
      const unwanted = writesOf(attempt.steps[index])[at];
      if (writesOf(attempt.steps[index]).length > 1) await without(attempt, (write) => write === unwanted);
    }
}

async function without(attempt: Attempt, isUnwanted: (write: Write) => boolean): Promise<void> {
  let found = false;
  const left = attempt.steps.flatMap((step): Step[] => {
    if (step.do !== 'write') return [step];
    const writes = step.writes.filter((write) => !isUnwanted(write));
    found ||= writes.length < step.writes.length;
    return writes.length === 0 ? [] : [{ ...step, writes }];
  });
  if (found) await attempt.with(left);
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

function writesOf(step: Step | undefined): readonly Write[] {
  return step?.do === 'write' ? step.writes : [];
}

function itemOf(names: TableNames, write: Write): string {
  const key = 'put' in write ? keyOf(names, write.put) : 'delete' in write ? write.delete : write.update;
  return key === undefined ? '' : keyText(key);
}
