import type { TelemetryPort } from '../ports.ts';

/** Says nothing: for commands, which print what they did themselves. */
export const silentTelemetry: TelemetryPort = {
  propagated() {},
  checked() {},
  deadLettered() {},
  archived() {},
  failed() {},
};
