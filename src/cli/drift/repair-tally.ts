import * as z from 'zod';
import type { LeftAlone, PropagationsOutcome } from '../../operate/drift/repair.ts';
import { say } from '../output/terminal.ts';
import { counted, number } from '../output/text.ts';
import { leftAloneJson, leftAloneLine } from './findings.ts';

const count = z.int().min(0);

/** Counts of propagation results, for resume points and the summary. */
export const repairCountsSchema = z.object({
  written: count,
  removed: count,
  unchanged: count,
  lost: count,
  /** Keyed by error code. */
  leftAlone: z.record(z.string(), count),
});

export type RepairCounts = z.output<typeof repairCountsSchema>;

/** Maximum number of copies listed for each code. JSON output lists all of them. */
const maxListed = 10;

/** Adds up the results of propagations, and prints the copies that were left alone. */
export class RepairTally {
  counts: RepairCounts = { written: 0, removed: 0, unchanged: 0, lost: 0, leftAlone: {} };
  private readonly json: boolean;

  constructor(json: boolean) {
    this.json = json;
  }

  add({ written, removed, unchanged, lost, leftAlone }: PropagationsOutcome): void {
    for (const one of leftAlone) this.leave(one);
    this.counts = {
      written: this.counts.written + written,
      removed: this.counts.removed + removed,
      unchanged: this.counts.unchanged + unchanged,
      lost: this.counts.lost + lost,
      leftAlone: this.counts.leftAlone,
    };
  }

  leave(one: LeftAlone): void {
    const before = this.counts.leftAlone[one.code] ?? 0;
    this.counts = { ...this.counts, leftAlone: { ...this.counts.leftAlone, [one.code]: before + 1 } };
    if (this.json) say(leftAloneJson(one));
    else if (before < maxListed) say(leftAloneLine(one));
    else if (before === maxListed) say(`… more of ${one.code} are only counted; --json lists all`);
  }

  left(): number {
    return Object.values(this.counts.leftAlone).reduce((sum, one) => sum + one, 0);
  }

  /**
   * For example `12 copies repaired, 2 already right, 3 left alone`.
   * @param dryRun whether nothing was written
   * @param reported findings that require a person, and therefore no propagation
   */
  sentence(dryRun: boolean, done: string, reported = 0): string {
    const { written, removed, unchanged, lost } = this.counts;
    return [
      `${counted(written, 'copy', 'copies')} ${dryRun ? `would be ${done}` : done}`,
      ...(removed > 0 ? [`${number(removed)} ${dryRun ? 'would be ' : ''}removed or cleared`] : []),
      `${number(unchanged)} already right`,
      ...(lost > 0 ? [`${counted(lost, 'write')} retried after concurrent writes`] : []),
      `${number(this.left() + reported)} left alone`,
    ].join(', ');
  }
}
