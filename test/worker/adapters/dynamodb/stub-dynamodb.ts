import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';

/** A request as the stub received it: the operation, and its parameters on the wire. */
export interface StubRequest {
  readonly operation: string;
  readonly body: Body;
}

/** The stub’s answer: a result, an error of the service, or silence. */
export type StubAnswer =
  | { readonly result: unknown }
  | {
      readonly error: string;
      readonly status?: number;
      readonly message?: string;
      readonly reasons?: unknown[];
    }
  | 'silence';

const attributes = z.record(z.string(), z.record(z.string(), z.unknown()));
const bodySchema = z.looseObject({
  Statements: z.array(z.object({ Statement: z.string(), Parameters: z.array(z.unknown()) })).default([]),
  TransactItems: z.array(z.record(z.string(), z.looseObject({ Key: attributes }))).default([]),
  RequestItems: z
    .record(z.string(), z.object({ Keys: z.array(attributes), ConsistentRead: z.boolean().optional() }))
    .default({}),
});

export type Body = z.output<typeof bodySchema>;

/**
 * A server on 127.0.0.1 that speaks enough of DynamoDB’s JSON protocol to give planned answers, which the embedded
 * server never gives.
 * @param gather the first requests are answered only when this many are under way at once
 * @param requestTimeout how long the client waits for an answer, in milliseconds
 */
export async function startStub(
  answer: (request: StubRequest, earlier: number) => StubAnswer,
  { gather = 1, requestTimeout = 5_000 } = {},
) {
  const gathered = Promise.withResolvers<void>();
  const requests: StubRequest[] = [];
  const load = { underWay: 0, most: 0 };
  const server = createServer(async (incoming, outgoing) => {
    load.underWay += 1;
    load.most = Math.max(load.most, load.underWay);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const operation = String(incoming.headers['x-amz-target']).replace('DynamoDB_20120810.', '');
    const request = { operation, body: bodySchema.parse(JSON.parse(Buffer.concat(chunks).toString())) };
    const answered = answer(request, requests.length);
    requests.push(request);
    if (load.underWay >= gather) gathered.resolve();
    await gathered.promise;
    // Wait a little longer, so that a surplus request would be counted as well.
    setTimeout(
      () => {
        load.underWay -= 1;
        if (answered === 'silence') return;
        const { status, body } = rendered(answered);
        outgoing
          .writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
          .end(JSON.stringify(body));
      },
      gather > 1 ? 30 : 0,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${portOf(server.address())}`;
  const client = clientOf(endpoint, requestTimeout);
  return {
    client,
    endpoint,
    requests,
    load,
    async stop() {
      client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** How long to wait for this answer, in milliseconds. */
export function patienceFor(answer: StubAnswer): number {
  return answer === 'silence' ? 300 : 5_000;
}

/** A client that makes one attempt. */
export function clientOf(endpoint: string, requestTimeout: number): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: { requestTimeout, throwOnRequestTimeout: true },
  });
}

function rendered(answer: Exclude<StubAnswer, 'silence'>): { status: number; body: unknown } {
  if ('result' in answer) return { status: 200, body: answer.result };
  const { error, status = 400, message, reasons } = answer;
  return {
    status,
    body: {
      __type: `com.amazonaws.dynamodb.v20120810#${error}`,
      message,
      ...(reasons && { CancellationReasons: reasons }),
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null)
    throw new Error('Expected the stub to listen on a port');
  return address.port;
}
