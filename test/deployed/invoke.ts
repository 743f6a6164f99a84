import { randomUUID } from 'node:crypto';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { marshall } from '@aws-sdk/util-dynamodb';
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
) {
  sequence += 1n;
  const options = { removeUndefinedValues: true };
  return {
    eventID: String(sequence),
    eventName,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'us-east-1',
    ...(byService && { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } }),
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
      Keys: marshall(key),
      ...(after && { NewImage: marshall({ ...after, ...key }, options) }),
      ...(before && { OldImage: marshall({ ...before, ...key }, options) }),
      SequenceNumber: String(sequence),
      SizeBytes: 100,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  };
}

export function streamEvent(...records: readonly ReturnType<typeof record>[]) {
  return { Records: records };
}

/** A message of the fan-out queue as Lambda delivers it. */
export function queueEvent(message: unknown) {
  return {
    Records: [
      {
        ...{ messageId: randomUUID(), receiptHandle: 'none', body: JSON.stringify(message) },
        ...{ attributes: { ApproximateReceiveCount: '1' }, messageAttributes: {}, md5OfBody: '' },
        ...{
          eventSource: 'aws:sqs',
          eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:q',
          awsRegion: 'us-east-1',
        },
      },
    ],
  };
}
