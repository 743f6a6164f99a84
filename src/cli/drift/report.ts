import * as z from 'zod';
import { type LeftAlone, outcomeCounts, type PropagationsOutcome } from '../../operate/drift/repair.ts';
import type { WouldWrite } from '../../operate/offline/dry-run-table.ts';
import type { Found } from '../../worker/verify/drift.ts';
import { driftKinds, isRepairable } from '../../worker/verify/drift.ts';
import { driftIn, type VerifyState, verifyStateSchema } from '../../worker/verify/verify-state.ts';
import { exitCodes } from '../errors.ts';
import { Listing } from '../output/listing.ts';
import { counted, number } from '../output/text.ts';
import { driftTable, findingEntry, leftAloneEntry, remarks, writeEntry } from './findings.ts';
import type { DriftOptions } from './options.ts';
import type { DriftWork } from './work.ts';

export type DriftCommand = 'verify' | 'repair' | 'backfill';

const count = z.int().min(0);

/** What propagations did. */
const countsSchema = z.object({
  ...{ propagations: count, written: count, removed: count, unchanged: count, lost: count },
  /** Keyed by error code. */
  leftAlone: z.record(z.string(), count),
});

/** The progress of a command, for its resume point. Keys and counts only. */
export const driftProgressSchema = z.object({ search: verifyStateSchema, counts: countsSchema });

/** Lists what a command finds and does as it happens, and sums it up at the end. */
export class DriftReport {
  counts: z.output<typeof countsSchema> = {
    ...{ propagations: 0, written: 0, removed: 0, unchanged: 0, lost: 0, leftAlone: {} },
  };
  private readonly command: DriftCommand;
  private readonly options: DriftOptions;
  private readonly listing: Listing;

  constructor(command: DriftCommand, options: DriftOptions) {
    this.command = command;
    this.options = options;
    this.listing = new Listing(options.json === true);
  }

  /** Lists drift: all that a search finds, and of what a repair has looked at, for people, what needs one of them. */
  list(found: readonly Found[]): void {
    const { json, showValues } = this.options;
    for (const one of found)
      if (json || this.command === 'verify' || !isRepairable(one.drift))
        this.listing.add(`of ${one.drift.rule}  ${one.drift.kind}`, findingEntry(one, showValues === true));
  }

  readonly wouldWrite: WouldWrite = (write) => this.listing.add('writes', writeEntry(write));

  readonly did = ({ leftAlone, unfinished: _, ...done }: PropagationsOutcome): void => {
    for (const name of outcomeCounts) this.counts[name] += done[name];
    for (const one of leftAlone) this.leave(one);
  };

  private leave(one: LeftAlone): void {
    const { leftAlone } = this.counts;
    leftAlone[one.code] = (leftAlone[one.code] ?? 0) + 1;
    this.listing.add(`of ${one.code}`, leftAloneEntry(one));
  }

  /** For the progress bar. */
  progress({ suspectedDrifts }: VerifyState): string {
    if (this.command === 'backfill') return `${number(this.counts.written)} written`;
    return suspectedDrifts.length > 0 ? `${number(suspectedDrifts.length)} to check again` : '';
  }

  /** Prints the summary. @returns the exit code */
  end(work: DriftWork, state: VerifyState, finished: boolean): number {
    if (this.options.json) console.log(JSON.stringify({ summary: this.summary(work, state, finished) }));
    else for (const line of this.lines(work, state)) console.log(line);
    const { command, options } = this;
    const drift = command === 'verify' || options.dryRun ? driftIn(state) : needingPeople(state);
    return finished && drift + this.left() === 0 ? exitCodes.fine : exitCodes.failed;
  }

  private left(): number {
    return Object.values(this.counts.leftAlone).reduce((sum, one) => sum + one, 0);
  }

  private summary(work: DriftWork, { items, rules }: VerifyState, finished: boolean): object {
    const { where, spent } = work;
    const { rule, root, sample, dryRun } = this.options;
    const times = this.timesSample(work, items);
    return {
      ...{ table: where.tableName, rule, root, sample },
      ...{ dryRun: dryRun === true, finished, items, drift: driftIn({ rules }), rules },
      ...this.counts,
      ...{ readUnits: Math.round(spent.readUnits), writeUnits: Math.round(spent.writeUnits) },
      wholeTable: times && this.wholeTable(work, { rules }, times),
    };
  }

  private *lines(work: DriftWork, state: VerifyState): Generator<string> {
    const { command } = this;
    const { spent } = work;
    if (Object.keys(state.rules).length > 0) yield driftTable(state);
    yield* remarks(state);
    const drifted = command === 'backfill' ? '' : `, ${number(driftIn(state))} drifted`;
    const did = command === 'verify' ? '' : `; ${this.sentence(needingPeople(state))}`;
    yield `${counted(state.items, 'item')} read${drifted}${did}; ${number(spent.readUnits)} read units, ${number(spent.writeUnits)} write units`;
    const times = this.timesSample(work, state.items);
    if (times === undefined) return;
    const { drift, propagations, written, readUnits, writeUnits } = this.wholeTable(work, state, times);
    yield `extrapolated to the whole table: about ${number(drift)} drifted, ${number(propagations)} propagations, ${number(written)} writes, ${number(readUnits)} read units, ${number(writeUnits)} write units`;
  }

  /** For example `3 propagations, 12 copies written, 2 already right, 3 left alone`. */
  private sentence(reported: number): string {
    const { propagations, written, removed, unchanged, lost } = this.counts;
    const would = this.options.dryRun ? 'would be ' : '';
    return [
      counted(propagations, 'propagation'),
      `${counted(written, 'copy', 'copies')} ${would}written`,
      ...(removed > 0 ? [`${number(removed)} ${would}removed or cleared`] : []),
      `${number(unchanged)} already right`,
      ...(lost > 0 ? [`${counted(lost, 'write')} retried after concurrent writes`] : []),
      `${number(this.left() + reported)} left alone`,
    ].join(', ');
  }

  /** How many times the sample is the table, by DynamoDB's item count if it has one; undefined without a sample. */
  private timesSample({ description }: DriftWork, items: number): number | undefined {
    const { sample } = this.options;
    if (sample === undefined) return undefined;
    return description.items > 0 ? description.items / Math.max(1, items) : 1 / sample;
  }

  private wholeTable({ spent }: DriftWork, state: Pick<VerifyState, 'rules'>, times: number) {
    const { propagations, written } = this.counts;
    const whole = (part: number) => Math.round(part * times);
    return {
      ...{ drift: whole(driftIn(state)), propagations: whole(propagations), written: whole(written) },
      ...{ readUnits: whole(spent.readUnits), writeUnits: whole(spent.writeUnits) },
    };
  }
}

/** The number of findings that are reported but never repaired. */
function needingPeople({ rules }: VerifyState): number {
  const reported = driftKinds.filter((kind) => !isRepairable({ kind }));
  return Object.values(rules)
    .flatMap(({ drift }) => reported.map((kind) => drift[kind]))
    .reduce((sum, one) => sum + one, 0);
}
