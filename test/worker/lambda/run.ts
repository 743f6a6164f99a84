import * as z from 'zod';
import { jsonOrUndefined } from '../../../src/model/basics/parse-json.ts';
import type { ServerRequest } from '../../suites/loopback-server.ts';

/** What an invocation, or a start that failed, let others see. */
export interface Run {
  readonly requests: readonly Sent[];
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** An error, if it threw one. */
  readonly answer: unknown;
}

interface Sent {
  /** Such as `Query`; the method of a request to S3. */
  readonly operation: string;
  readonly path: string;
  readonly storageClass: unknown;
  readonly text: string;
  /** Empty if it is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

const bodySchema = z.record(z.string(), z.unknown()).catch({});

export function sentBy({ method, path, headers, body }: ServerRequest): Sent {
  const target = headers['x-amz-target'];
  return {
    operation: target === undefined ? method : String(target).replace(/.*\./, ''),
    path,
    storageClass: headers['x-amz-storage-class'],
    text: String(body),
    body: bodySchema.parse(jsonOrUndefined(String(body))),
  };
}

/** The operations of all requests but those for items by key, which go one by one or together. */
export function operations({ requests }: Run): readonly string[] {
  return requests
    .map(({ operation }) => operation)
    .filter((operation) => !operation.endsWith('GetItem'))
    .sort();
}

export function count(operation: string): (run: Run) => number {
  return ({ requests }) => requests.filter((one) => one.operation === operation).length;
}

/** The values of a field in the bodies of requests for this operation. */
export function field(operation: string, name: string): (run: Run) => readonly unknown[] {
  return ({ requests }) =>
    distinct(requests.flatMap((one) => (one.operation === operation ? [one.body[name]] : [])));
}

/** The names of the queues that dead letters went to, or that messages did. */
export function queues(of: 'dead letters' | 'messages'): (run: Run) => readonly unknown[] {
  return ({ requests }) => {
    const batches = requests.filter(({ operation }) => operation === 'SendMessageBatch');
    // Only dead letters have attributes.
    const those = batches.filter(
      ({ body }) => JSON.stringify(body).includes('"MessageAttributes"') === (of === 'dead letters'),
    );
    return distinct(those.map(({ body }) => String(body['QueueUrl']).replace(/.*\//, '')));
  };
}

/** What this pattern captures in the bodies of all requests. */
export function captured(pattern: RegExp): (run: Run) => readonly unknown[] {
  return ({ requests }) => distinct(captures(requests, pattern));
}

/** What this pattern captures in the lines of metrics. */
export function inMetrics(pattern: RegExp): (run: Run) => readonly unknown[] {
  return ({ lines }) =>
    distinct(
      captures(
        lines.filter((line) => '_aws' in line),
        pattern,
      ),
    );
}

function captures(values: readonly unknown[], pattern: RegExp): readonly unknown[] {
  return values.flatMap((value) => [...JSON.stringify(value).matchAll(pattern)].map(([, text]) => text));
}

export function distinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Set(values.filter((value) => value !== undefined))].sort();
}

const answerSchema = z.object({ batchItemFailures: z.array(z.unknown()) });

/** What Lambda takes from the answer: the code of an error, or whether records must be delivered again. */
export function outcome({ answer }: Run): unknown {
  if (answer instanceof Error) return 'code' in answer ? answer.code : answer.name;
  return answerSchema.safeParse(answer).data?.batchItemFailures.length === 0 ? 'acknowledged' : 'failed';
}
