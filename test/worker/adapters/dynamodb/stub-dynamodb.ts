import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { dynamoDbTable } from '../../../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import type { WriteOptions } from '../../../../src/worker/ports.ts';
import { VirtualClock } from '../../../fixtures/virtual-clock.ts';
import { type ServerAnswer, served } from '../../../suites/loopback-server.ts';
import { names, tableName } from './table-fixture.ts';

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
 * server never gives. It stops after the test.
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
  const { client, endpoint, close } = await served(
    async ({ headers, body }) => {
      load.underWay += 1;
      load.most = Math.max(load.most, load.underWay);
      const operation = String(headers['x-amz-target']).replace('DynamoDB_20120810.', '');
      const request = { operation, body: bodySchema.parse(JSON.parse(body.toString())) };
      const answered = answer(request, requests.length);
      requests.push(request);
      if (load.underWay >= gather) gathered.resolve();
      await gathered.promise;
      // Wait a little longer, so that a surplus request would be counted as well.
      if (gather > 1) await setTimeout(30);
      load.underWay -= 1;
      return answered === 'silence' ? new Promise<never>(() => {}) : rendered(answered);
    },
    (settings) =>
      new DynamoDBClient({
        ...{ ...settings, maxAttempts: 1 },
        requestHandler: { requestTimeout, throwOnRequestTimeout: true },
      }),
  );
  onTestFinished(close);
  return { client, endpoint, requests, load };
}

/** Retries that take no time. */
export const backOff = { clock: new VirtualClock(), attempts: 3 };

/**
 * A table port on a stub, and the units that a caller learns who asks what its requests cost.
 * @param sideBySide the first requests are answered only when this many are under way at once, and no more are sent
 */
export async function tableThat(
  answer: (request: StubRequest, earlier: number) => StubAnswer,
  { sideBySide = 0, requestTimeout = 5_000 } = {},
) {
  const stub = await startStub(answer, { gather: sideBySide, requestTimeout });
  const units: (readonly [table: number, total: number])[] = [];
  const port = dynamoDbTable({
    ...{ client: stub.client, tableName, table: names, backOff, concurrency: sideBySide || 4 },
  });
  const onSpent = (table: number, total: number) => void units.push([table, total]);
  const paced: WriteOptions = { onSpent, isPaced: true };
  return { port, stub, units, onSpent, paced };
}

/** Writes every statement of a request. */
export function written({ body }: StubRequest) {
  return { result: { Responses: body.Statements.map(() => ({ TableName: tableName })) } };
}

/** How long to wait for this answer, in milliseconds. */
export function patienceFor(answer: StubAnswer): number {
  return answer === 'silence' ? 300 : 5_000;
}

function rendered(answer: Exclude<StubAnswer, 'silence'>): ServerAnswer {
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  if ('result' in answer) return { status: 200, headers, body: JSON.stringify(answer.result) };
  const { error, status = 400, message, reasons } = answer;
  const __type = `com.amazonaws.dynamodb.v20120810#${error}`;
  const body = { __type, message, ...(reasons && { CancellationReasons: reasons }) };
  return { status, headers, body: JSON.stringify(body) };
}
