import { TransientError } from '../model/basics/errors.ts';
import type { Change } from '../model/items/change.ts';
import type { ItemKey } from '../model/items/item.ts';
import type { Registry } from '../model/rules/registry.ts';
import type { GuardedUpdate } from '../model/work/guarded-write.ts';
import {
  arrival,
  type BeatPath,
  beatMessage,
  heartbeatKey,
  newBeats,
  nextBeat,
  type PathState,
  pathState,
  queuedBeats,
} from '../model/work/heartbeat.ts';
import { readPauses } from './pauses.ts';
import type { ClockPort, QueuePort, TablePort, TableReads, TelemetryPort } from './ports.ts';

export interface HeartbeatReport {
  readonly paths: readonly PathState[];
  /** The pauses in force, each with since when. */
  readonly paused: Readonly<Record<string, string>>;
  readonly oldestPauseSeconds: number;
}

export interface HeartbeatContext {
  readonly registry: Registry;
  readonly table: Pick<TableReads, 'get'>;
  /** Writes the item whether or not it exists. */
  readonly write: (update: Pick<GuardedUpdate, 'key' | 'set' | 'remove'>) => Promise<void>;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly delaySeconds: number;
  /** Those that are not switched off. */
  readonly paths: readonly BeatPath[];
}

/**
 * Sends a beat on each path, and says what has become of the earlier ones. Lost ones are forgotten with that.
 * @throws TransientError or FatalError as the table does: then nothing may be published, as if all were well
 */
export async function sendBeat(context: HeartbeatContext): Promise<HeartbeatReport> {
  const { registry, table, clock, delaySeconds } = context;
  const key = heartbeatKey(registry.table);
  const pauses = await readPauses(table, registry.table);
  const nowMs = clock.now();
  const times = { delaySeconds, nowSeconds: Math.floor(nowMs / 1000) };
  const item = key && (await table.get(key))?.item;
  const paths = context.paths.map((path) => pathState(item ?? {}, path, times));
  if (key !== undefined) await context.write({ key, ...nextBeat(paths, times) });
  const names = [...registry.rules, ...registry.aggregates].map(({ name }) => name);
  const paused = [...pauses].filter(([name]) => names.includes(name));
  const ages = paused.map(([, since]) => (nowMs - Date.parse(since)) / 1000).filter(Number.isFinite);
  return { paths, paused: Object.fromEntries(paused), oldestPauseSeconds: Math.max(0, ...ages) };
}

/** Beats that lie in the fan-out queue, about: they are no work. */
export async function beatsInQueue({
  registry,
  table,
  clock,
}: Pick<HeartbeatContext, 'registry' | 'table' | 'clock'>): Promise<number> {
  const key = heartbeatKey(registry.table);
  const item = key && (await table.get(key))?.item;
  return item === undefined ? 0 : queuedBeats(item, Math.floor(clock.now() / 1000));
}

interface ChangesOfItem {
  readonly key: ItemKey;
  readonly changes: readonly Change[];
}

interface Reporting {
  readonly telemetry: Pick<TelemetryPort, 'failed'>;
}

/** Sends the new beats through the fan-out queue. */
export async function queueBeats(
  { queue, ...reporting }: Reporting & { readonly queue: Pick<QueuePort, 'send'> },
  { key, changes }: ChangesOfItem,
): Promise<void> {
  for (const [beat, delaySeconds] of newBeats(changes, 'fan-out'))
    await unlessFailed(reporting, () => queue.send([beatMessage(key, beat)], delaySeconds));
}

/** Notes that the new beats have arrived at Archive. */
export async function archiveBeats(
  carrier: Parameters<typeof noteArrival>[0] & Reporting,
  { changes }: ChangesOfItem,
): Promise<void> {
  for (const [beat] of newBeats(changes, 'archive'))
    await unlessFailed(carrier, () => noteArrival(carrier, 'archive', beat));
}

/** A beat never fails its record, which would hold up the items of others: the alarm is for those that do not arrive. */
async function unlessFailed({ telemetry }: Reporting, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    telemetry.failed(error);
  }
}

/** @throws TransientError `heartbeat.not-noted` */
export async function noteArrival(
  {
    registry,
    table,
    clock,
  }: {
    readonly registry: Pick<Registry, 'table'>;
    readonly table: Pick<TablePort, 'update'>;
    readonly clock: Pick<ClockPort, 'now'>;
  },
  path: BeatPath,
  beat: number,
): Promise<void> {
  const key = heartbeatKey(registry.table);
  if (key === undefined) return;
  const [outcome] = await table.update([arrival(key, path, beat, clock.now())]);
  if (outcome !== 'written' && outcome !== 'lost')
    throw new TransientError(
      'heartbeat.not-noted',
      `Expected the table to note that the beat ${beat} has arrived, but its write is ${outcome}: it is tried again`,
    );
}
