import { FatalError, TransientError } from '../../model/errors.ts';
import { awsCode, fromAws } from '../aws-errors.ts';

/**
 * What a refusal of one write means:
 * - `lost`: its condition was not met;
 * - `again`: it was throttled, or met another write: trying again may do;
 * - `refused`: DynamoDB will never take this write of this item.
 */
export type Refusal = 'lost' | 'again' | 'refused';

/** Of DynamoDB's validation messages, those that are about the table and not about one item. */
const aboutTheTable = [
  /key element does not match the schema/i,
  /type mismatch for key /i,
  /missing the key /i,
  /required keys was not given a value/i,
  /mandatory equality on all key attributes/i,
  /number of conditions on the keys is invalid/i,
  /does not have the specified index/i,
];

/**
 * What the code of one statement, or of one action of a cancelled transaction, means.
 * Source: AWS, "BatchStatementError" and "TransactionCanceledException".
 * @param what the request, for the message
 * @throws FatalError where no item could be written: access denied, no such table, a table of another shape
 */
export function refusalOf(code: string | undefined, message: string | undefined, what: string): Refusal {
  switch (code) {
    case 'ConditionalCheckFailed':
      return 'lost';
    case 'ItemCollectionSizeLimitExceeded':
      return 'refused';
    case 'ValidationError':
      refuseOtherShape(message, what);
      return 'refused';
    case 'AccessDenied':
    case 'ResourceNotFound':
      throw fromAws(named(code, message), what);
    default:
      return 'again';
  }
}

/**
 * What an error thrown for a single write means. The SDK has retried what it retries: throttling, 5xx, time-outs. It
 * does not retry a write that met a transaction.
 * @throws FatalError where no item could be written
 */
export function refusalOfThrown(error: unknown, what: string): Refusal | 'unavailable' {
  const code = awsCode(error);
  if (code === 'ConditionalCheckFailedException') return 'lost';
  if (code === 'ItemCollectionSizeLimitExceededException') return 'refused';
  if (isValidation(error)) {
    refuseOtherShape(error.message, what);
    return 'refused';
  }
  const meaning = fromAws(error, what);
  if (!(meaning instanceof TransientError)) throw meaning;
  return meaning.code === 'aws.conflict' ? 'again' : 'unavailable';
}

export function isValidation(error: unknown): error is Error {
  return error instanceof Error && awsCode(error) === 'ValidationException';
}

function refuseOtherShape(message: string | undefined, what: string): void {
  if (message === undefined || !aboutTheTable.some((pattern) => pattern.test(message))) return;
  throw new FatalError(
    'table.other-shape',
    `${what} was refused: the table's keys or indexes are not those that src/table.ts names`,
  );
}

function named(name: string, message = ''): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
