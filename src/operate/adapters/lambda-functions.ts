import type { EventSourceMappingConfiguration, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { TransientError } from '../../model/basics/errors.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { awsCall, awsCode, fromAws } from '../../worker/adapters/aws-errors.ts';
import type { Answer } from '../dead-letters/redrive-batches.ts';

/** The only response format of this project's functions. */
const answerSchema = z.object({ batchItemFailures: z.array(z.unknown()) });
const errorSchema = z.object({ errorType: z.string().regex(/^[\w.]{1,80}$/) });
/** What the functions log of an error: no item content. */
const loggedSchema = z.union([
  z.object({ reason: z.string() }).transform(({ reason }) => reason),
  z
    .object({ error: z.string(), at: z.array(z.string()) })
    .transform(({ error, at }) => [error, ...at].join(' at ')),
]);

/**
 * Invokes a function on stream records, as its event source mapping would. Needs `lambda:InvokeFunction`.
 * @throws TransientError if a later or smaller invocation may succeed; FatalError if none can
 */
export async function invokeFunction(
  client: LambdaClient,
  functionName: string,
  records: readonly unknown[],
): Promise<Answer> {
  const what = `Invoke (lambda:InvokeFunction) of ${functionName}`;
  const { InvokeCommand } = await import('@aws-sdk/client-lambda');
  try {
    const Payload = Buffer.from(JSON.stringify({ Records: records }));
    const answer = await client.send(
      new InvokeCommand({ FunctionName: functionName, Payload, LogType: 'Tail' }),
    );
    const logged = lastReason(answer.LogResult);
    const body = jsonOrUndefined(Buffer.from(answer.Payload ?? []).toString());
    if (answer.FunctionError !== undefined) {
      const type = errorSchema.safeParse(body).data?.errorType ?? answer.FunctionError;
      return {
        unacknowledged: records.length,
        why: logged ?? `the function ended with ${type}, see its log`,
      };
    }
    const failures = answerSchema.safeParse(body).data?.batchItemFailures;
    if (failures === undefined)
      return { unacknowledged: records.length, why: 'the function gave an invalid answer to a batch' };
    return {
      unacknowledged: failures.length,
      ...(failures.length > 0 && { why: logged ?? 'see the log of the function' }),
    };
  } catch (error) {
    if (awsCode(error) === 'RequestTooLargeException')
      throw new TransientError(
        'aws.invalid',
        `${what} was refused, because the batch is too large for a request`,
      );
    throw fromAws(error, what);
  }
}

/** In the end of the log, which is base64. */
function lastReason(log = ''): string | undefined {
  const lines = Buffer.from(log, 'base64').toString().split('\n');
  return lines.flatMap((line) => loggedSchema.safeParse(jsonOrUndefined(line)).data ?? []).at(-1);
}

/** Needs `lambda:GetFunctionConfiguration`. */
export async function functionEnvironment(
  client: LambdaClient,
  functionName: string,
): Promise<Readonly<Record<string, string>>> {
  const { GetFunctionConfigurationCommand } = await import('@aws-sdk/client-lambda');
  const what = `GetFunctionConfiguration (lambda:GetFunctionConfiguration) of ${functionName}`;
  const command = new GetFunctionConfigurationCommand({ FunctionName: functionName });
  const { Environment } = await awsCall(what, () => client.send(command));
  return Environment?.Variables ?? {};
}

/** What brings a function its events. Needs `lambda:ListEventSourceMappings`. */
export async function eventSources(
  client: LambdaClient,
  FunctionName: string,
): Promise<readonly EventSourceMappingConfiguration[]> {
  const { ListEventSourceMappingsCommand } = await import('@aws-sdk/client-lambda');
  const { EventSourceMappings = [] } = await awsCall(
    `ListEventSourceMappings (lambda:ListEventSourceMappings) of ${FunctionName}`,
    () => client.send(new ListEventSourceMappingsCommand({ FunctionName })),
  );
  return EventSourceMappings;
}
