import { describe, expect, test } from 'vitest';
import {
  type Refusal,
  refusalFrom,
  refusalFromPart,
} from '../../../../src/worker/adapters/dynamodb/refusals.ts';

function thrown(name: string, message = '', status = 400): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } });
}

test.each<[string | undefined, Refusal]>([
  ['ConditionalCheckFailed', 'lost'],
  ['ValidationError', 'refused'],
  ['ItemCollectionSizeLimitExceeded', 'refused'],
  ['ThrottlingError', 'throttled'],
  ['ProvisionedThroughputExceeded', 'throttled'],
  ['RequestLimitExceeded', 'throttled'],
  ['TransactionConflict', 'again'],
  ['InternalServerError', 'again'],
  ['DuplicateItem', 'again'],
  [undefined, 'again'],
])('a refusal of one write, %s, means %s, and again without a pace if throttled', (Code, refusal) => {
  const part = { Code, Message: 'The conditional request failed' };

  expect(refusalFromPart(part, 'It', true)).toBe(refusal);
  expect(refusalFromPart(part, 'It')).toBe(refusal === 'throttled' ? 'again' : refusal);
});

test.each<[Error, Refusal]>([
  [thrown('ConditionalCheckFailedException'), 'lost'],
  [thrown('ItemCollectionSizeLimitExceededException'), 'refused'],
  [thrown('TransactionConflictException'), 'again'],
  [thrown('ReplicatedWriteConflictException'), 'again'],
  [thrown('ThrottlingException'), 'throttled'],
  [thrown('InternalServerError', '', 500), 'unavailable'],
  [thrown('TimeoutError'), 'unavailable'],
])('an error thrown for one write, %s, means %s; the SDK has retried a throttled one', (error, refusal) => {
  expect(refusalFrom(error, 'It', true)).toBe(refusal);
  expect(refusalFrom(error, 'It')).toBe(refusal === 'throttled' ? 'unavailable' : refusal);
});

test.each([
  ['AccessDenied', 'aws.denied'],
  ['ResourceNotFound', 'aws.not-found'],
])('%s throws a FatalError %s', (Code, code) => {
  expect(() => refusalFromPart({ Code }, 'It')).toThrow(
    expect.objectContaining({ name: 'FatalError', code }),
  );
});

describe('a validation error of DynamoDB', () => {
  test.each([
    'The provided key element does not match the schema',
    'One or more parameter values were invalid: Type mismatch for key PK expected: S actual: N',
    'One of the required keys was not given a value',
    'One or more parameter values were invalid: Missing the key SK in the item',
    'Where clause does not contain a mandatory equality on all key attributes',
    'The number of conditions on the keys is invalid',
    'The table does not have the specified index: GSI1',
  ])('concerns the table, and is reported without its text: %s', (Message) => {
    const otherShape = expect.objectContaining({
      name: 'FatalError',
      code: 'table.other-shape',
      message: expect.not.stringContaining(Message),
    });

    expect(() => refusalFromPart({ Code: 'ValidationError', Message }, 'It')).toThrow(otherShape);
    expect(() => refusalFrom(thrown('ValidationException', Message), 'It')).toThrow(otherShape);
  });

  test.each([
    'Item size to update has exceeded the maximum allowed size',
    'One or more parameter values were invalid: Type mismatch for Index Key GSI1PK Expected: S Actual: N IndexName: GSI1',
    'The update expression attempted to update the secondary index key to unsupported type',
    'Nesting Levels have exceeded supported limits',
    "Statement wasn't well formed, can't be processed: Unexpected token after expression",
  ])('concerns the item: %s', (Message) => {
    expect(refusalFromPart({ Code: 'ValidationError', Message }, 'It')).toBe('refused');
    expect(refusalFrom(thrown('ValidationException', Message), 'It')).toBe('refused');
  });
});
