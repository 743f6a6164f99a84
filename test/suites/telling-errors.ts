import * as z from 'zod';
import { DenormError, FatalError, InvalidItemError, TransientError } from '../../src/model/basics/errors.ts';
import { fromAws } from '../../src/worker/adapters/aws-errors.ts';

/** What stands in an item, and nowhere else. */
export const content = 'john@example.com';

/** An error as the SDK throws it, whose message quotes an item. */
export function sdkError(name = 'ValidationException'): Error {
  const error = new Error(`The value ${content} is not valid`);
  error.name = name;
  const answer = { $fault: 'client', $metadata: { httpStatusCode: 400 }, Item: { email: { S: content } } };
  return Object.assign(error, answer, { CancellationReasons: [{ Item: { email: { S: content } } }] });
}

/** Errors that quote an item somewhere: in their message, their fields, or what caused them. */
export function tellingErrors(): [what: string, error: unknown][] {
  const parsed = z
    .object({ email: z.literal('none') })
    .strict()
    .safeParse({ email: content, [content]: 1 });
  const custom = z
    .string()
    .refine(() => false, { error: `got ${content}` })
    .safeParse('a');
  const nested = new Error('outer', { cause: new Error('inner', { cause: sdkError() }) });
  return [
    ['the SDK', sdkError()],
    ['the SDK, as what it means', fromAws(sdkError(), 'PutItem of table orders')],
    ['the SDK, under a name that quotes', fromAws(sdkError(content), 'PutItem of table orders')],
    ['a schema', parsed.error],
    ['a schema with a message of its own', custom.error],
    ['JSON', thrownBy(() => JSON.parse(`{"email": ${content}}`))],
    ['code of the worker', new TypeError(`Cannot read ${content}`)],
    ['a message like a stack', new TypeError(`x\n    at ${content}\n    at f (/a/${content}:1:2)`)],
    ['several at once', new AggregateError([sdkError(), new Error(content)], content)],
    ['a cause of a cause', nested],
    ['no error at all', content],
    ['an object', { email: content }],
    ...[DenormError, TransientError, FatalError].map((Kind): [string, Error] => [
      `a ${Kind.name} for a cause`,
      new Kind('table.odd', 'The table is odd', { cause: new AggregateError([sdkError()], content) }),
    ]),
    [
      'an InvalidItemError for a cause',
      new InvalidItemError('copy', 'copy.odd', 'The copy is odd', { cause: parsed.error }),
    ],
  ];
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
