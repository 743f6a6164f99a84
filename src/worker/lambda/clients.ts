import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import pLimit from 'p-limit';
import { clientSettings, withoutLogger } from '../adapters/client-settings.ts';

/** Each client is made once, when a function starts. A maker of its own, so that the bundles of other functions leave the client out. */
export function dynamoDbClient(): DynamoDBClient {
  return withoutLogger(new DynamoDBClient(clientSettings));
}

/** This one is made when it is first asked for: few invocations leave something to a queue, and a start has no time for it. */
export function sqsClient(): () => SQSClient {
  let client: SQSClient | undefined;
  return () => {
    client ??= withoutLogger(new SQSClient(clientSettings));
    return client;
  };
}

/** An emulator has no host name for each bucket. */
export function s3Client({ local }: { readonly local: boolean }): S3Client {
  return withoutLogger(new S3Client({ ...clientSettings, forcePathStyle: local }));
}

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

/** In bytes. No page of a query is larger, unless its text needs escapes. */
const largeBytes = 2 * 1024 ** 2;

/** While a large response is decoded it is in memory two or three times. The others wait in their sockets. */
export function oneLargeBody(client: DynamoDBClient): DynamoDBClient {
  const inTurn = pLimit(1);
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { body, headers } = result.response as Pick<IncomingMessage, 'headers'> & {
        body: IncomingMessage;
      };
      if (!(Number(headers['content-length']) > largeBytes)) return result;
      await new Promise<void>((start) => {
        void inTurn(() => {
          start();
          return finished(body).catch(() => undefined);
        });
      });
      return result;
    },
    { step: 'deserialize', name: 'oneLargeBody', priority: 'low' },
  );
  return client;
}
