import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { itemToJson } from '../../src/model/dynamodb-json.ts';
import { keyIn } from '../../src/model/item.ts';
import { jsonOrUndefined } from '../../src/model/parse-json.ts';
import { table } from '../../src/table.ts';
import { fromAws } from '../../src/worker/adapters/aws-errors.ts';
import { type Line, lineOf } from './lines.ts';
import type { Scene } from './propagations.ts';

/** A deployed function, and an event that changes nothing. */
export interface Trial {
  readonly name: string;
  readonly functionName: string;
  readonly event: object;
}

/** A stream event with the change of each scene. None of the items is in the table yet, so nothing is written. */
export function streamEvent(scenes: readonly Scene[]): object {
  return {
    Records: scenes.map(({ root, changed }, index) => {
      const { pk, sk } = keyIn(table, root);
      return {
        ...{ eventSource: 'aws:dynamodb', eventName: 'MODIFY' },
        dynamodb: {
          Keys: { [table.pk]: { S: pk }, [table.sk]: { S: sk } },
          ...{ OldImage: itemToJson(root), NewImage: itemToJson(changed) },
          SequenceNumber: String(10n ** 20n + BigInt(index)),
        },
      };
    }),
  };
}

const answerSchema = z.object({ batchItemFailures: z.array(z.unknown()) });
const errorSchema = z.object({ errorType: z.string(), errorMessage: z.string() });
const loggedSchema = z.union([
  z.object({ reason: z.string() }).transform(({ reason }) => reason),
  z
    .object({ error: z.string(), at: z.array(z.string()) })
    .transform(({ error, at }) => [error, ...at].join(' at ')),
]);

/** Invokes a function before anything is written: one that cannot work says why, in its own words and at once. */
export function trialLine(client: LambdaClient, { name, functionName, event }: Trial): Promise<Line> {
  return lineOf(`invocation of ${name}`, async () => {
    const answer = await invoke(client, functionName, event);
    const body = jsonOrUndefined(Buffer.from(answer.Payload ?? []).toString());
    const failures = answerSchema.safeParse(body).data?.batchItemFailures.length;
    if (answer.FunctionError === undefined && failures === 0)
      return { status: 'passed', detail: 'it works on an event' };
    const thrown = errorSchema.safeParse(body).data;
    return {
      status: 'failed',
      detail: answer.FunctionError === undefined ? `${failures ?? 'all'} records failed` : 'it failed',
      action:
        thrown === undefined ? loggedReason(answer.LogResult) : `${thrown.errorType}: ${thrown.errorMessage}`,
    };
  });
}

async function invoke(client: LambdaClient, FunctionName: string, event: object) {
  try {
    const Payload = Buffer.from(JSON.stringify(event));
    return await client.send(new InvokeCommand({ FunctionName, Payload, LogType: 'Tail' }));
  } catch (error) {
    throw fromAws(error, `Invoke (lambda:InvokeFunction) of ${FunctionName}`);
  }
}

/** The last reason in the end of the log that Lambda returns, which is base64. Logs hold no item content. */
function loggedReason(log = ''): string {
  const lines = Buffer.from(log, 'base64').toString().split('\n');
  const reasons = lines.flatMap((line) => loggedSchema.safeParse(jsonOrUndefined(line)).data ?? []);
  return reasons.at(-1) ?? 'see its log';
}
