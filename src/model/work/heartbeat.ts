/**
 * A beat is a time, in whole epoch seconds. One item has those that are on their way, each as an attribute for each path:
 *
 *   fan-out: Heartbeat ──> the item ──> its stream ──> Propagate ──> fan-out queue, delayed ──> FanOut removes it
 *   archive: Heartbeat ──> the item ──> its stream ──> Archive removes it
 *
 * So beats that come twice, late or in another order do no harm. What is not removed in time has met what would lose work, too.
 */

import type { Change } from '../items/change.ts';
import { attribute, type Item, type ItemKey } from '../items/item.ts';
import { ownKey } from '../items/own-items.ts';
import type { TableNames } from '../items/table-names.ts';
import type { GuardedUpdate } from './guarded-write.ts';
import type { Message } from './message.ts';

export type BeatPath = 'fan-out' | 'archive';

/** Undefined as for {@link ownKey}. */
export function heartbeatKey(table: TableNames): ItemKey | undefined {
  return ownKey(table, 'HEARTBEAT');
}

const delayName = 'delaySeconds';
const pendingName = (path: BeatPath, beat: number) => `${path}:${beat}`;
const arrivedName = (path: BeatPath) => `arrived:${path}`;
const tripName = (path: BeatPath) => `seconds:${path}`;
const pending = { BOOL: true } as const;
const numeric = (value: number) => ({ N: String(value) });

function numberIn(item: Item, name: string): number | undefined {
  const value = attribute(item, name);
  return value !== undefined && 'N' in value ? Number(value.N) : undefined;
}

/** Oldest first. */
export function pendingBeats(item: Item, path: BeatPath): readonly number[] {
  const names = Object.keys(item).filter((name) => name.startsWith(`${path}:`));
  const beats = names.map((name) => Number(name.slice(path.length + 1)));
  return beats.filter(Number.isSafeInteger).toSorted((a, b) => a - b);
}

/** The beats that these changes of the item bring, and how long each is to lie in the fan-out queue. */
export function newBeats(changes: readonly Pick<Change, 'before' | 'after'>[], path: BeatPath) {
  const found = changes.flatMap(({ before = {}, after = {} }) => {
    const known = pendingBeats(before, path);
    const delaySeconds = numberIn(after, delayName) ?? 0;
    const brought = pendingBeats(after, path).filter((beat) => !known.includes(beat));
    return brought.map((beat) => [beat, delaySeconds] as const);
  });
  return new Map(found);
}

/** The name is of no rule. */
export function beatMessage(root: ItemKey, beat: number): Message {
  return { rule: '~heartbeat', root, cause: 'changed', attempts: 0, beat };
}

/** Only if the beat is still on its way: one that comes twice changes nothing. */
export function arrival(key: ItemKey, path: BeatPath, beat: number, nowMs: number): GuardedUpdate {
  const name = pendingName(path, beat);
  return {
    key,
    set: {
      [arrivedName(path)]: numeric(beat),
      [tripName(path)]: numeric(Math.max(0, Math.floor(nowMs / 1000) - beat)),
    },
    remove: [name],
    expect: { [name]: pending },
  };
}

export interface PathState {
  readonly path: BeatPath;
  /** How long the oldest beat that is not given up has been due. */
  readonly overdueSeconds: number;
  /** Beats to give up: they will not arrive. */
  readonly lost: readonly number[];
  /** What the last one took beside its delay; undefined before the first. */
  readonly tripSeconds: number | undefined;
}

/** Longer than stream and queue keep anything: a day and four. */
const keptSeconds = 5.5 * 24 * 3600;

/** Their names fit into one request. */
const maxLost = 100;

/**
 * A beat is lost if a later one has arrived, and it has been due for a quarter more than the queue's delay (at least as long as
 * FanOut's next attempt takes); or if nothing can still have it.
 * @param delaySeconds of the queue
 */
export function pathState(
  item: Item,
  path: BeatPath,
  { delaySeconds, nowSeconds }: { readonly delaySeconds: number; readonly nowSeconds: number },
): PathState {
  const delay = path === 'fan-out' ? delaySeconds : 0;
  const arrived = numberIn(item, arrivedName(path)) ?? 0;
  const trip = numberIn(item, tripName(path));
  const overdueOf = (beat: number) => nowSeconds - beat - delay;
  const isLost = (beat: number) => overdueOf(beat) > (beat < arrived ? 1.25 * delaySeconds : keptSeconds);
  const beats = pendingBeats(item, path);
  const lost = beats.filter(isLost).slice(0, maxLost);
  const oldest = beats.find((beat) => !isLost(beat));
  return {
    path,
    overdueSeconds: oldest === undefined ? 0 : Math.max(0, overdueOf(oldest)),
    lost,
    tripSeconds: trip === undefined ? undefined : Math.max(0, trip - delay),
  };
}

/** What a run writes: its own beat on each path, and nothing more of those that are lost. */
export function nextBeat(
  states: readonly PathState[],
  { delaySeconds, nowSeconds }: { readonly delaySeconds: number; readonly nowSeconds: number },
): Pick<GuardedUpdate, 'set' | 'remove'> {
  return {
    set: {
      [delayName]: numeric(delaySeconds),
      ...Object.fromEntries(states.map(({ path }) => [pendingName(path, nowSeconds), pending])),
    },
    remove: states.flatMap(({ path, lost }) => lost.map((beat) => pendingName(path, beat))),
  };
}

/** Beats that lie in the fan-out queue at this time, about. */
export function queuedBeats(item: Item, nowSeconds: number): number {
  const delaySeconds = numberIn(item, delayName) ?? 0;
  const [settled, due] = [nowSeconds - 10, nowSeconds - delaySeconds];
  return pendingBeats(item, 'fan-out').filter((beat) => beat <= settled && beat >= due).length;
}
