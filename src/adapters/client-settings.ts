/**
 * What every client of a function is made with. A request that is not answered within these times is tried again while
 * the invocation still lasts; the SDK itself would wait without end. Times in milliseconds.
 */
export const clientSettings = {
  maxAttempts: 5,
  // Without the last one, the SDK only warns of a request that takes longer, and goes on waiting.
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
} as const;
