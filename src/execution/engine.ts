import type { Registry } from '../domain/registry.ts';
import type { QueuePort, Settings, TablePort, TelemetryPort } from './ports.ts';

/** All that a turn works with. The clock is asked only whether there is still time. */
export interface Engine {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly queue: QueuePort;
  readonly telemetry: TelemetryPort;
  readonly settings: Settings;
  /** Whether the invocation is about to end: what is not begun is handed on. */
  readonly outOfTime: () => boolean;
}
