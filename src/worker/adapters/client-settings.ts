import type { Readable } from 'node:stream';

/** In milliseconds. By default, the SDK would wait forever for an answer. */
export const clientSettings = {
  maxAttempts: 5,
  // Otherwise the SDK only logs a warning when a request takes longer, and keeps waiting.
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
  streamCollector: collected,
} as const;

/** Even without a logger, the SDK would walk through every response to hide what is sensitive in it from the log. */
export function withoutLogger<Client extends { readonly middlewareStack: { remove(name: string): boolean } }>(
  client: Client,
): Client {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}

/**
 * The SDK pipes an answer into a stream of its own, which costs a quarter of a request's processor time, and keeps the bytes until
 * V8 looks at its old objects (Node 24): 60 MB of 4,000 answers.
 * @throws Error if the connection ends before the answer does
 */
function collected(answer: Readable): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    answer.on('data', (chunk) => chunks.push(chunk));
    answer.once('error', reject);
    answer.once('end', () => resolve(Buffer.concat(chunks)));
  });
}
