import type { ItemKey } from '../model/item.ts';

/** One state of an item, as the archive holds it: a version of an object of its own, or a line of a batch. */
export interface ArchivedState {
  readonly kind: string;
  /** Undefined where the object's key is a hash and only a body in Glacier says whose state it is. */
  readonly key: ItemKey | undefined;
  /** The object that holds it. */
  readonly objectKey: string;
  /** Undefined for a line: a batch has one version. */
  readonly versionId: string | undefined;
  /** The line of the batch, from 0; undefined for an object of its own. */
  readonly line: number | undefined;
  /** Whether it was kept as the last state of an item that was gone. */
  readonly final: boolean;
  /** When it was put, in epoch milliseconds: the first time, where it was put more than once. */
  readonly archivedAt: number;
  /** Undefined where it was only listed, and its object was not asked. 0: no record asked for it. */
  readonly sequence: bigint | undefined;
  /** The digest of the item; undefined where it was only listed, or was put by another. */
  readonly digest: string | undefined;
  /** Of the object, which may hold other states as well. */
  readonly bytes: number | undefined;
  readonly storageClass: string | undefined;
}

/**
 * The states of one item in the order in which it had them, the newest last.
 *
 * Each stands for a record, and is as old as that: by its sequence number. What no record asked for, as a sweep, is as old
 * as its put. Versions of the item's own object stay in the order of their puts, because each was put in place of the one
 * before.
 *
 * A last state right after the same state says only that the item ended with it: they become one, the last one.
 * @param byRecord lines, and last states
 * @param byPut versions of the object, and lines without a record, the oldest first
 */
export function inOrder(
  byRecord: readonly ArchivedState[],
  byPut: readonly ArchivedState[],
): readonly ArchivedState[] {
  const ordered = [...byRecord].sort((a, b) => (sequenceOf(a) < sequenceOf(b) ? -1 : 1));
  let from = 0;
  for (const state of byPut) {
    const older = ordered.findLastIndex((other, index) => index >= from && isYounger(state, other));
    if (older >= 0) from = older + 1;
    ordered.splice(from, 0, state);
    from += 1;
  }
  return asOne(ordered);
}

/** States of which the next one says the same become that one, which stands there since the first of them was put. */
function asOne(ordered: readonly ArchivedState[]): readonly ArchivedState[] {
  const states: ArchivedState[] = [];
  let since = Number.POSITIVE_INFINITY;
  for (const [index, state] of ordered.entries()) {
    const next = ordered[index + 1];
    since = Math.min(since, state.archivedAt);
    if (isRepeated(state, next) || isOutOfTurn(ordered[index - 1], state, next)) continue;
    states.push({ ...state, archivedAt: since });
    since = Number.POSITIVE_INFINITY;
  }
  return states;
}

function isYounger(put: ArchivedState, record: ArchivedState): boolean {
  if (sequenceOf(put) > 0n) return sequenceOf(put) >= sequenceOf(record);
  return put.archivedAt > record.archivedAt;
}

/** The same record's state, in two batches or in either layout, or a state that the item also ended with. */
function isRepeated(state: ArchivedState, next: ArchivedState | undefined): boolean {
  if (next === undefined || state.digest === undefined || state.digest !== next.digest) return false;
  const twice = state.line !== undefined && state.sequence === next.sequence;
  return twice || (!state.final && next.final);
}

/**
 * A version that an older record, delivered again, has put over a younger one because the item had come back to that
 * state: its own record has put it again. Nothing but a version stands after what is younger.
 */
function isOutOfTurn(
  before: ArchivedState | undefined,
  state: ArchivedState,
  next: ArchivedState | undefined,
): boolean {
  if (before === undefined || next === undefined) return false;
  const isSame = state.digest !== undefined && state.digest === next.digest;
  return isSame && sequenceOf(state) > 0n && sequenceOf(before) > sequenceOf(state);
}

function sequenceOf({ sequence = 0n }: ArchivedState): bigint {
  return sequence;
}
