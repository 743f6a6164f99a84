/**
 * Settings for every client in a function. A request without an answer within these times is retried during
 * the same invocation; by default, the SDK would wait forever. Times are in milliseconds.
 */
export const clientSettings = {
  maxAttempts: 5,
  // Without `throwOnRequestTimeout`, the SDK only logs a warning when a request takes longer, and keeps
  // waiting.
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
} as const;
