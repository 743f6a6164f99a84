import type { Context } from 'aws-lambda';

export type Remaining = Pick<Context, 'getRemainingTimeInMillis'>;

/**
 * When requests to the table and to S3 are aborted, in milliseconds before the end of an invocation: the unfinished work is
 * then requeued, or its records fail. With retries, an unanswered request takes 40 seconds.
 */
export const reserveForAnswer = 5_000;

/** The same for requests to SQS, which come last. */
export const reserveForQueue = 1_500;

/** Aborted this many milliseconds before the invocation ends. */
export function beforeEnd(invocation: Remaining, reserve: number): AbortSignal {
  const controller = new AbortController();
  const left = Math.max(0, invocation.getRemainingTimeInMillis() - reserve);
  // Does not keep the process alive after the invocation has answered.
  setTimeout(() => controller.abort(), left).unref();
  return controller.signal;
}

/** Requests and retries in flight are aborted with the signal, and later ones are not sent. They fail like a timeout. */
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
