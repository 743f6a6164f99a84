import type { Context } from 'aws-lambda';

/** The remaining time of an invocation. */
export type Remaining = Pick<Context, 'getRemainingTimeInMillis'>;

/**
 * How long before the end of an invocation its requests to the table and to S3 are aborted, in milliseconds.
 * The unfinished work is then requeued, or its records fail. With retries, an unanswered request takes 40
 * seconds.
 */
export const reserveForAnswer = 5_000;

/** The same for requests to SQS, which come last. If they fail, the response names the records as failed. */
export const reserveForQueue = 1_500;

/** A signal that is aborted this many milliseconds before the invocation ends. */
export function beforeEnd(invocation: Remaining, reserve: number): AbortSignal {
  const controller = new AbortController();
  const left = Math.max(0, invocation.getRemainingTimeInMillis() - reserve);
  // Does not keep the process alive after the invocation has answered.
  setTimeout(() => controller.abort(), left).unref();
  return controller.signal;
}

/**
 * Wraps a client so that its requests end with the signal: requests and retries in flight are aborted, and
 * later requests are not sent. They fail like a timeout.
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
