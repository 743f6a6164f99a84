/** In milliseconds. By default, the SDK would wait forever for an answer. */
export const clientSettings = {
  maxAttempts: 5,
  // Otherwise the SDK only logs a warning when a request takes longer, and keeps waiting.
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
} as const;

/** Even without a logger, the SDK would walk through every response to hide what is sensitive in it from the log. */
export function withoutLogger<Client extends { readonly middlewareStack: { remove(name: string): boolean } }>(
  client: Client,
): Client {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
