import { inSequence, isLater, recordId } from '../../model/items/change.ts';
import type { ItemKey } from '../../model/items/item.ts';

/** One archived state of an item: a version of its own object, or a line of a batch. */
export interface ArchivedState {
  readonly kind: string;
  /** Undefined if the object key is a hash and only the body, which is in Glacier, holds the key. */
  readonly key: ItemKey | undefined;
  readonly objectKey: string;
  /** Undefined for a line: a batch has one version. */
  readonly versionId: string | undefined;
  /** The line of the batch, from 0; undefined for an object of its own. */
  readonly line: number | undefined;
  readonly final: boolean;
  /** When it was first put, in epoch milliseconds. */
  readonly archivedAt: number;
  /** Undefined if the state was only listed. 0 if no record reported it. */
  readonly sequence: bigint | undefined;
  /** The digest of the item. Undefined if the state was only listed, or if another program put the object. */
  readonly digest: string | undefined;
  /** The size of the object, which may hold other states as well. */
  readonly bytes: number | undefined;
  readonly storageClass: string | undefined;
}

export function isByRecord({ final, line, sequence }: ArchivedState): boolean {
  return final || (line !== undefined && sequence !== 0n);
}

/**
 * A state is ordered by its record. A state without a record, as a sweep stores it, is ordered
 * by the time of its put. Versions of the item's own object keep the order of their puts: each replaced the one before.
 * A final state that follows an equal state only says that the item ended: the two become one final state.
 * @param states as listed, the newest version of an object first, because S3 rounds times
 * @returns the newest last
 */
export function inOrder(states: readonly ArchivedState[]): readonly ArchivedState[] {
  const ordered = [...inSequence(states.filter(isByRecord))];
  const byPut = states.filter((state) => !isByRecord(state)).reverse();
  let from = 0;
  for (const state of byPut.sort((a, b) => a.archivedAt - b.archivedAt)) {
    const older = ordered.findLastIndex((other, index) => index >= from && isYounger(state, other));
    if (older >= 0) from = older + 1;
    ordered.splice(from, 0, state);
    from += 1;
  }
  return withoutRepeated(ordered);
}

/** Merges repeated states into the last of them, with the time of the first put. */
function withoutRepeated(ordered: readonly ArchivedState[]): readonly ArchivedState[] {
  const states: ArchivedState[] = [];
  let since = Number.POSITIVE_INFINITY;
  for (const [index, state] of ordered.entries()) {
    since = Math.min(since, state.archivedAt);
    if (isRepeated(state, ordered[index + 1])) continue;
    states.push({ ...state, archivedAt: since });
    since = Number.POSITIVE_INFINITY;
  }
  return states;
}

function isYounger(put: ArchivedState, record: ArchivedState): boolean {
  if (sequenceOf(put) > 0n) return !isLater(sequenceOf(record), sequenceOf(put));
  return put.archivedAt > record.archivedAt;
}

/** One record's state in two batches or layouts, or a state followed by its final state. */
function isRepeated(state: ArchivedState, next: ArchivedState | undefined): boolean {
  if (next === undefined || state.digest === undefined || state.digest !== next.digest) return false;
  const twice = state.line !== undefined && recordId(sequenceOf(state)) === recordId(sequenceOf(next));
  return twice || (!state.final && next.final);
}

function sequenceOf({ sequence = 0n }: ArchivedState): bigint {
  return sequence;
}
