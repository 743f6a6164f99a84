import type { Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { PropagationReport } from '../../model/report.ts';
import type { ClockPort, QueuePort, Settings, TablePort, TelemetryPort } from '../ports.ts';
import type { Memory } from './item-memory.ts';
import type { Pace } from './pace.ts';

/** The clock decides only when to write, to stop and to give up, never what is written. */
export interface PropagationContext {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly queue: QueuePort;
  readonly telemetry: TelemetryPort;
  readonly settings: Settings;
  /** Whether the invocation is about to end, or will be after so many milliseconds: then nothing more is started. */
  readonly outOfTime: (ahead?: number) => boolean;
  readonly clock: ClockPort;
  /** Without it, only the number of items is bounded. */
  readonly memory?: Memory;
}

export type Tally = { -readonly [Field in keyof PropagationReport]: PropagationReport[Field] };

export interface Propagation {
  readonly context: PropagationContext;
  /** From this page on. */
  readonly message: Message;
  readonly pace: Pace;
  readonly tally: Tally;
}
