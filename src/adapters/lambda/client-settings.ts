/**
 * What every client of a function is made with. A request that is not answered within these times is tried again while
 * the invocation still lasts; the SDK itself would wait without end. Times in milliseconds.
 */
export const clientSettings = {
  maxAttempts: 5,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 8_000 },
} as const;
