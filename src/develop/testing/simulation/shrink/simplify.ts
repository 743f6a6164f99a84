import type { Step } from '../world/step.ts';
import type { Attempt } from './attempt.ts';

/** Makes single steps simpler, so that others may become dispensable: no fault, fewer records, time enough, no change of conditions. */
export async function simplify(attempt: Attempt): Promise<void> {
  for (let index = 0; index < attempt.steps.length; index += 1)
    for (const simpler of simplerThan(attempt.steps[index])) {
      const before = attempt.steps.length;
      if (await attempt.with(attempt.steps.with(index, simpler))) {
        if (attempt.steps.length < before) index -= 1;
        break;
      }
    }
}

function simplerThan(step: Step | undefined): Step[] {
  switch (step?.do) {
    case 'serve':
      return step.fault === undefined ? [] : [{ ...step, fault: undefined }];
    case 'read':
      return [
        ...(step.requestsInTime === undefined ? [] : [{ ...step, requestsInTime: undefined }]),
        ...(step.again === 'next' ? [] : [{ ...step, again: 'next' as const }]),
        ...(step.most === 1 ? [] : [{ ...step, most: 1 }]),
        ...(step.most === 6 || step.again !== 'next' ? [] : [{ ...step, most: 6 }]),
      ];
    case 'receive':
      return [
        ...(step.requestsInTime === undefined ? [] : [{ ...step, requestsInTime: undefined }]),
        ...(step.most === 1 ? [] : [{ ...step, most: 1 }]),
      ];
    default:
      return [];
  }
}
