import type { Registry } from '../model/registry.ts';
import type { QueuePort, Settings, TablePort, TelemetryPort } from '../ports.ts';

/** All that a propagation works with. What is written depends on no time: it says only when to stop, and when to give up. */
export interface PropagationContext {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly queue: QueuePort;
  readonly telemetry: TelemetryPort;
  readonly settings: Settings;
  /** Whether the invocation is about to end: what is not begun is handed on. */
  readonly outOfTime: () => boolean;
  /** In epoch milliseconds. */
  readonly now: () => number;
}
