import { TransientError } from '../model/errors.ts';
import type { Budget } from '../scan/budget.ts';
import { type FailedBatches, isRemovalRecord, readFailedBatch, type StreamFunction } from './failed-batch.ts';

/** What a function said of a batch. */
export interface Answer {
  /** How many of its records it did not acknowledge. */
  readonly unacknowledged: number;
  /** Why, in words without item content; undefined where it said nothing of it. */
  readonly why?: string;
}

export interface BatchRedrive {
  readonly batches: FailedBatches;
  /** Which function a deployed name belongs to; undefined where it is none of this project. */
  readonly functionOf: (functionName: string) => StreamFunction | undefined;
  /** Puts records through a function, and resolves when all that they ask for is done or queued for sure. */
  readonly putThrough: (to: StreamFunction, records: readonly unknown[]) => Promise<Answer>;
  /** Whether removals are propagated. The archive gets them always: their images may be the only ones left. */
  readonly removals: boolean;
  /** Only says what would be done. */
  readonly dryRun: boolean;
  /** Records a second. */
  readonly budget: Budget;
  readonly stop: () => boolean;
  readonly onReport: (report: BatchReport) => void;
}

/** What became of one object. */
export interface BatchReport {
  readonly key: string;
  readonly function: StreamFunction | undefined;
  readonly records: number;
  /** Removals that were not put through. */
  readonly leftOut: number;
  /** `redriven` is gone from there, `kept` is not; `planned` is what a dry run would put through and remove. */
  readonly outcome: 'redriven' | 'kept' | 'planned';
  /** Why it is kept. */
  readonly why?: string;
}

/**
 * Puts batches that were given up through their function again, one after the other. An object is removed only when each
 * of its records was put through and acknowledged; putting the same through twice does no harm, since the table is the
 * truth.
 * @throws FatalError where none could be worked on
 */
export async function redriveBatches(work: BatchRedrive): Promise<void> {
  for await (const key of work.batches.keys()) {
    if (work.stop()) return;
    const report = await redriveBatch(work, key);
    if (report !== undefined) work.onReport(report);
  }
}

async function redriveBatch(work: BatchRedrive, key: string): Promise<BatchReport | undefined> {
  const { batches, removals, dryRun } = work;
  let report: BatchReport = { key, function: undefined, records: 0, leftOut: 0, outcome: 'kept' };
  try {
    const text = await batches.read(key);
    if (text === undefined) return undefined;
    const batch = readFailedBatch(text);
    if ('unreadable' in batch) return { ...report, why: batch.unreadable };
    const to = work.functionOf(batch.functionName);
    report = { ...report, function: to, records: batch.records.length };
    if (to === undefined)
      return { ...report, why: `it is of the function ${batch.functionName}, which is none of these` };
    const asked = batch.records.filter((record) => to === 'Archive' || removals || !isRemovalRecord(record));
    report = { ...report, leftOut: batch.records.length - asked.length };
    const left = report.leftOut === 0 ? undefined : `${removalsOf(report.leftOut)} left out: see --removals`;
    if (dryRun) return left === undefined ? { ...report, outcome: 'planned' } : { ...report, why: left };
    await work.budget.take(asked.length);
    if (work.stop()) return undefined;
    const why = (await unacknowledged(work, to, asked)) ?? left;
    if (why !== undefined) return { ...report, why };
    await batches.remove(key);
    return { ...report, outcome: 'redriven' };
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    return { ...report, why: error.message };
  }
}

/** @returns why records of it must come again; undefined where all were acknowledged */
async function unacknowledged(
  { putThrough }: BatchRedrive,
  to: StreamFunction,
  records: readonly unknown[],
): Promise<string | undefined> {
  if (records.length === 0) return undefined;
  const answer = await putThrough(to, records);
  if (answer.unacknowledged === 0) return undefined;
  const count = `${answer.unacknowledged} of ${records.length} records failed again`;
  return answer.why === undefined ? count : `${count}: ${answer.why}`;
}

function removalsOf(count: number): string {
  return count === 1 ? '1 removal' : `${count} removals`;
}
