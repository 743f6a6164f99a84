import { TransientError } from '../../model/basics/errors.ts';
import type { StreamFunction } from '../../model/work/settings.ts';
import type { Budget } from '../../worker/budget.ts';
import { isRemovalRecord, readFailedBatch, type StoredBatch } from './failed-batch.ts';

export interface Answer {
  /** How many of its records it did not acknowledge. */
  readonly unacknowledged: number;
  /** The reason in words without item content; undefined if it gave none. */
  readonly why?: string;
}

export interface BatchRedrive {
  readonly batches: readonly StoredBatch[];
  /** Undefined if it is not one of this project. */
  readonly functionOf: (functionName: string) => StreamFunction | undefined;
  /**
   * Sends records through a function. Resolves when the resulting work is complete or safely queued.
   * @param named in the batch
   */
  readonly putThrough: (to: StreamFunction, records: readonly unknown[], named: string) => Promise<Answer>;
  /** Whether removals are propagated. The archive always receives them: their images may be the only ones left. */
  readonly allowRemove: boolean;
  readonly dryRun: boolean;
  /** Records a second. */
  readonly budget: Budget;
  readonly stop: () => boolean;
  readonly onReport: (report: BatchReport) => void;
}

export interface BatchReport {
  readonly key: string;
  readonly function: StreamFunction | undefined;
  readonly records: number;
  readonly leftOut: number;
  /** `redriven`: processed and removed; `kept`: still in the bucket; `planned`: what a dry run would redrive. */
  readonly outcome: 'redriven' | 'kept' | 'planned';
  readonly why?: string;
}

/**
 * An object is removed only after all of its records were acknowledged.
 * @throws FatalError if no batch could be processed
 */
export async function redriveBatches(work: BatchRedrive): Promise<void> {
  for (const batch of work.batches) {
    if (work.stop()) return;
    const report = await redriveBatch(work, batch);
    if (report !== undefined) work.onReport(report);
  }
}

async function redriveBatch(
  work: BatchRedrive,
  { batches, key }: StoredBatch,
): Promise<BatchReport | undefined> {
  const { allowRemove, dryRun } = work;
  let report: BatchReport = { key, function: undefined, records: 0, leftOut: 0, outcome: 'kept' };
  try {
    const text = await batches.read(key);
    if (text === undefined) return undefined;
    const batch = readFailedBatch(text);
    if ('unreadable' in batch) return { ...report, why: batch.unreadable };
    const to = work.functionOf(batch.functionName);
    report = { ...report, function: to, records: batch.records.length };
    if (to === undefined) return { ...report, why: notOurs(batch.functionName) };
    const { owner = to } = batches;
    if (to !== owner) return { ...report, why: contradicts(to, owner) };
    const records = batch.records.filter((one) => to === 'Archive' || allowRemove || !isRemovalRecord(one));
    report = { ...report, leftOut: batch.records.length - records.length };
    const note =
      report.leftOut === 0 ? undefined : `${countedRemovals(report.leftOut)} left out: see --allow-remove`;
    if (dryRun) return note === undefined ? { ...report, outcome: 'planned' } : { ...report, why: note };
    await work.budget.take(records.length);
    if (work.stop()) return undefined;
    const answer = records.length === 0 ? undefined : await work.putThrough(to, records, batch.functionName);
    const why = (answer && unacknowledged(answer, records.length)) ?? note;
    if (why !== undefined) return { ...report, why };
    await batches.remove(key);
    return { ...report, outcome: 'redriven' };
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    return { ...report, why: error.message };
  }
}

function unacknowledged({ unacknowledged: failed, why }: Answer, records: number): string | undefined {
  if (failed === 0) return undefined;
  return `${failed} of ${records} records failed again${why === undefined ? '' : `: ${why}`}`;
}

function countedRemovals(count: number): string {
  return count === 1 ? '1 removal' : `${count} removals`;
}

function contradicts(said: StreamFunction, owner: StreamFunction): string {
  return `it says that it is of ${said}, but Lambda puts only batches of ${owner} here: it may be forged, see who wrote it`;
}

function notOurs(name: string): string {
  return `it is of the function ${name}: expected Propagate or Archive, alone or in a name such as shop-Propagate, with --stack a function of that stack`;
}
