import type { Parked } from '../../../src/domain/message.ts';
import type { Judge } from './judge.ts';
import type { Verdict } from './verdict.ts';

/** Checks that what is parked is what only a person can mend (invariant 4). @param faulty whether requests went wrong */
export function judgeParked(
  parked: readonly Parked[],
  judge: Judge,
  faulty: boolean,
  verdict: Verdict,
): void {
  for (const { code, message } of parked) {
    const where = `${code} ${message === undefined ? '' : `${message.rule} ${JSON.stringify(message.root)}`}`;
    if (code === 'hops.exceeded') {
      if (!faulty) verdict.violated(7, 'a turn gives up though nothing is in its way', where);
    } else if (message === undefined) verdict.violated(4, 'what is fine is parked', where);
    else if (!judge.wasBeyondRepair(message.rule, message.root))
      verdict.violated(4, 'what is fine is parked', where);
  }
}
