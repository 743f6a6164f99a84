import { describe, expect, test } from 'vitest';
import { refusalOf, refusalOfThrown } from '../../../../src/worker/adapters/dynamodb/refusals.ts';

function thrown(name: string, message = '', status = 400): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } });
}

describe('a refusal of one write', () => {
  test.each([
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
  ])('%s means %s', (code, refusal) => {
    expect(refusalOf(code, 'The conditional request failed', 'It')).toBe(refusal);
  });

  test.each([
    ['AccessDenied', 'aws.denied'],
    ['ResourceNotFound', 'aws.not-found'],
  ])('%s throws a FatalError %s', (name, code) => {
    expect(() => refusalOf(name, undefined, 'It')).toThrow(
      expect.objectContaining({ name: 'FatalError', code }),
    );
  });
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
  ])('concerns the table, and is reported without its text: %s', (message) => {
    const otherShape = expect.objectContaining({
      name: 'FatalError',
      code: 'table.other-shape',
      message: expect.not.stringContaining(message),
    });

    expect(() => refusalOf('ValidationError', message, 'It')).toThrow(otherShape);
    expect(() => refusalOfThrown(thrown('ValidationException', message), 'It')).toThrow(otherShape);
  });

  test.each([
    'Item size to update has exceeded the maximum allowed size',
    'One or more parameter values were invalid: Type mismatch for Index Key GSI1PK Expected: S Actual: N IndexName: GSI1',
    'The update expression attempted to update the secondary index key to unsupported type',
    'One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported.',
    'Nesting Levels have exceeded supported limits',
    "Statement wasn't well formed, can't be processed: Unexpected token after expression",
  ])('concerns the item: %s', (message) => {
    expect(refusalOf('ValidationError', message, 'It')).toBe('refused');
    expect(refusalOfThrown(thrown('ValidationException', message), 'It')).toBe('refused');
  });
});

test.each([
  [thrown('ConditionalCheckFailedException'), 'lost'],
  [thrown('ItemCollectionSizeLimitExceededException'), 'refused'],
  [thrown('TransactionConflictException'), 'again'],
  [thrown('ReplicatedWriteConflictException'), 'again'],
  [thrown('ThrottlingException'), 'unavailable'],
  [thrown('InternalServerError', '', 500), 'unavailable'],
  [thrown('TimeoutError'), 'unavailable'],
])('an error thrown for one write, %s, means %s', (error, refusal) => {
  expect(refusalOfThrown(error, 'It')).toBe(refusal);
});
