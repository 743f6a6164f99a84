import type { Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { ClockPort, QueuePort, Settings, TablePort, TelemetryPort } from '../ports.ts';
import type { Memory } from './item-memory.ts';
import type { Pace } from './pace.ts';
import type { Tally } from './tally.ts';

/** What a propagation works with. The clock decides only when to write, to stop and to give up, never what is written. */
export interface PropagationContext {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly queue: QueuePort;
  readonly telemetry: TelemetryPort;
  readonly settings: Settings;
  /**
   * Whether the invocation is about to end: then work that has not started is requeued.
   * @param ahead asks about a later moment, in milliseconds from now
   */
  readonly outOfTime: (ahead?: number) => boolean;
  readonly clock: ClockPort;
  /** Bounds the items that the propagations of an invocation hold together. Without it, only their number is bounded. */
  readonly memory?: Memory;
}

/** A propagation while it runs. */
export interface Propagation {
  readonly context: PropagationContext;
  /** What is left to do, from this page on. */
  readonly message: Message;
  readonly pace: Pace;
  readonly tally: Tally;
}
