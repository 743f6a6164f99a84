import type { Context } from 'aws-lambda';

export type Remaining = Pick<Context, 'getRemainingTimeInMillis'>;

/**
 * How long before the end of an invocation requests to the table and to S3 are aborted: the unfinished work is
 * then requeued, or its records fail. With retries, an unanswered request takes 40 seconds.
 */
export const reserveForAnswerMs = 5_000;

/** The same for requests to SQS, which come last. */
export const reserveForQueueMs = 1_500;

/** Aborted this long before the invocation ends. */
export function beforeEnd(invocation: Remaining, reserveMs: number): AbortSignal {
  const controller = new AbortController();
  const leftMs = Math.max(0, invocation.getRemainingTimeInMillis() - reserveMs);
  // Does not keep the process alive after the invocation has answered.
  setTimeout(() => controller.abort(), leftMs).unref();
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
