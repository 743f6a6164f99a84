import type { TelemetryPort } from '../../worker/ports.ts';

export const silentTelemetry: TelemetryPort = {
  propagated() {},
  checked() {},
  deadLettered() {},
  archived() {},
  failed() {},
};
