import { randomUUID } from 'node:crypto';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { sqsEvent } from '../../src/dev/dev-functions.ts';
import type { Attributes, Key } from './application.ts';
import type { Clients } from './stack.ts';

/** What a function answers: its batch response, or the error that it ended with. */
export interface Answer {
  readonly failures: number;
  readonly error: string | undefined;
}

export async function invoke({ lambda }: Clients, functionName: string, event: unknown): Promise<Answer> {
  const Payload = Buffer.from(JSON.stringify(event));
  const answer = await lambda.send(new InvokeCommand({ FunctionName: functionName, Payload }));
  const body: unknown = JSON.parse(Buffer.from(answer.Payload ?? []).toString() || '{}');
  const said = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const failures = said['batchItemFailures'];
  return {
    failures: Array.isArray(failures) ? failures.length : 0,
    error: answer.FunctionError === undefined ? undefined : String(said['errorMessage'] ?? said['errorType']),
  };
}

let sequence = 100_000_000_000_000_000_000n;

/** A record of the stream as Lambda delivers it. */
export function record(
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE',
  key: Key,
  { before, after, byService = false }: { before?: Attributes; after?: Attributes; byService?: boolean },
): DynamoDBRecord {
  sequence += 1n;
  const options = { removeUndefinedValues: true };
  const delivered = {
    ...{ eventID: String(sequence), eventName, eventVersion: '1.1', eventSource: 'aws:dynamodb' },
    awsRegion: 'us-east-1',
    ...(byService && { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } }),
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
      Keys: marshall(key),
      ...(after && { NewImage: marshall({ ...after, ...key }, options) }),
      ...(before && { OldImage: marshall({ ...before, ...key }, options) }),
      ...{ SequenceNumber: String(sequence), SizeBytes: 100, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    },
  };
  return JSON.parse(JSON.stringify(delivered));
}

export function streamEvent(...records: readonly DynamoDBRecord[]) {
  return { Records: records };
}

/** A message of the fan-out queue as Lambda delivers it. */
export function queueEvent(message: unknown) {
  return sqsEvent([{ body: JSON.stringify(message), messageId: randomUUID(), receiveCount: 1 }]);
}
