import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';

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
