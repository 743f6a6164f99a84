import type { TelemetryPort } from '../../worker/ports.ts';

/** Telemetry for commands, which print their own results. */
export const silentTelemetry: TelemetryPort = {
  propagated() {},
  checked() {},
  deadLettered() {},
  archived() {},
  failed() {},
};
