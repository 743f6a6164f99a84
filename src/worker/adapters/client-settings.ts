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

/**
 * Takes the SDK's logger out of a client. No client here is given one, but the SDK would still walk through every response
 * to hide what is sensitive in it from the log.
 */
export function withoutLogger<Client extends { readonly middlewareStack: { remove(name: string): boolean } }>(
  client: Client,
): Client {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
