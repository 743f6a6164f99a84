import type { Settings } from '../../../../worker/ports.ts';
import type { Fault } from './invocation.ts';

/** What a run is like: each seed has its own, so that rare things are frequent in some. */
export interface FaultProfile {
  readonly settings: Settings;
  readonly shards: number;
  /** How likely a request goes wrong, by the way it does. */
  readonly faults: Readonly<Record<Fault, number>>;
  /** How likely an invocation dies, in each step in which one is served. */
  readonly cut: number;
  /** How likely a batch is given twice, older records come again, a message comes twice. */
  readonly again: number;
  /** How late indexes and messages may be, in milliseconds. */
  readonly lag: number;
  readonly lateness: number;
  readonly skew: number;
  /** How many invocations run side by side at most. */
  readonly maxInvocations: number;
  /** How much the applications write, compared with what the worker does. */
  readonly writeWeight: number;
  /** How much of the reading is for the archive. */
  readonly archiving: number;
  /** How often somebody writes just what the worker is about to write. */
  readonly interference: number;
  /** How often applications pause until the worker has nothing left to do, except for invocations that stall. */
  readonly pauses: number;
  /** How likely an invocation stalls when it is about to write. */
  readonly stalling: number;
  /** How likely an application works on what it read long ago. */
  readonly staleness: number;
  /** How often a sweep begins. */
  readonly sweeping: number;
  /** How likely the time of an invocation runs out early. */
  readonly shortTime: number;
  /** Whether a batch has many records. */
  readonly longBatches: boolean;
  /** Whether values are so long that hashing all of them would take most of the time of a run. */
  readonly longValues: boolean;
  /** How often something that nobody can read comes onto a shard, or the queue. */
  readonly malformed: number;
  /** Writes that a partition takes in a second, and at once after a second without any; `Infinity` if all. */
  readonly partitionUnits: number;
  /** How long the table is away at the end of the run, in milliseconds; 0 if it is not. */
  readonly outage: number;
}
