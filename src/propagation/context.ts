import type { Registry } from '../model/registry.ts';
import type { QueuePort, Settings, TablePort, TelemetryPort } from '../ports.ts';

/** What a propagation works with. The clock decides only when to stop and when to give up, never what is written. */
export interface PropagationContext {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly queue: QueuePort;
  readonly telemetry: TelemetryPort;
  readonly settings: Settings;
  /** Whether the invocation is about to end: then work that has not started is requeued. */
  readonly outOfTime: () => boolean;
  /** In epoch milliseconds. */
  readonly now: () => number;
}
