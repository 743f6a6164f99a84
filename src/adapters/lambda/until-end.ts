import type { Context } from 'aws-lambda';

/** What is left of an invocation, as Lambda tells it. */
export type Remaining = Pick<Context, 'getRemainingTimeInMillis'>;

/**
 * How long before the end of an invocation its requests to the table and to S3 are aborted, in milliseconds: what they
 * were for is requeued then, or its records fail. With retries, a request that nobody answers takes 40 seconds.
 */
export const reserveForAnswer = 5_000;

/** The same for requests to SQS, which come last: with what they do not do, the answer names the records that failed. */
export const reserveForQueue = 1_500;

/** A signal that is aborted so many milliseconds before the invocation ends. */
export function beforeEnd(invocation: Remaining, reserve: number): AbortSignal {
  const controller = new AbortController();
  const left = Math.max(0, invocation.getRemainingTimeInMillis() - reserve);
  // An invocation that has answered does not wait for it.
  setTimeout(() => controller.abort(), left).unref();
  return controller.signal;
}

/**
 * The same client, whose requests end with the signal: those under way and their retries are aborted, and later ones are
 * not sent. They fail as a time-out does.
 */
export function until<Client extends { send(...args: never[]): unknown }>(
  signal: AbortSignal,
  client: Client,
): Client {
  const send = (command: unknown, options: object = {}): unknown =>
    Reflect.apply(client.send, client, [command, { ...options, abortSignal: signal }]);
  return new Proxy(client, {
    get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)),
  });
}
