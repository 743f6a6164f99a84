import { FatalError, TransientError } from '../../../model/errors.ts';
import { awsCode, fromAws } from '../aws-errors.ts';

/**
 * The meaning of a rejected write:
 * - `lost`: its condition was not met
 * - `throttled`: the table or a partition takes no more for now; a retry may succeed
 * - `again`: it conflicted with another write, or failed within the service; a retry may succeed
 * - `refused`: DynamoDB will never accept this write
 */
export type Refusal = 'lost' | 'throttled' | 'again' | 'refused';

/** DynamoDB's validation messages that concern the table, not a single item. */
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
 * The meaning of the error code of one statement, or of one action of a cancelled transaction. Source: AWS,
 * "BatchStatementError" and "TransactionCanceledException".
 * @param what the request, for the message
 * @throws FatalError if no write can succeed: access denied, no such table, a table with other keys
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
      return isThrottling(named(code ?? '', message)) ? 'throttled' : 'again';
  }
}

/**
 * The meaning of an error thrown for a single write. The SDK has already retried throttling, 5xx and
 * timeouts. It does not retry a write that conflicted with a transaction.
 * @throws FatalError if no write can succeed
 */
export function refusalOfThrown(error: unknown, what: string): Exclude<Refusal, 'throttled'> | 'unavailable' {
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

/** Whether a request, or a part of it, was throttled. */
export function isThrottling(error: unknown): boolean {
  return fromAws(error, 'A write').code === 'aws.throttled';
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
