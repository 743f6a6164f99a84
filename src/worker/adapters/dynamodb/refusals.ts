import { DenormError, FatalError, TransientError } from '../../../model/basics/errors.ts';
import { awsCode, fromAws } from '../aws-errors.ts';

/**
 * - `again`: it conflicted with another write, or a part of a request failed;
 * - `throttled`: only for a caller that paces its writes;
 * - `unavailable`: the request failed as a whole. The SDK has retried throttling, 5xx and timeouts, but no conflict.
 */
export type Refusal = 'lost' | 'refused' | 'again' | 'throttled' | 'unavailable';

/**
 * The meaning of an error thrown for a request.
 * @throws FatalError if no write can succeed
 */
export function refusalFrom(error: unknown, what: string, isPaced = false): Refusal {
  const refusal = meaningOf(error, what);
  if (refusal instanceof DenormError) throw refusal;
  return refusal === 'throttled' && !isPaced ? 'unavailable' : refusal;
}

/**
 * The meaning of a part's error. Source: AWS, "BatchStatementError", "TransactionCanceledException".
 * @throws FatalError
 */
export function refusalFromPart(
  part: { readonly Code?: string | undefined; readonly Message?: string | undefined } = {},
  what: string,
  isPaced = false,
): Refusal {
  const refusal = meaningOf(Object.assign(new Error(part.Message), { name: part.Code ?? '' }), what);
  if (refusal instanceof DenormError) {
    if (refusal.code !== 'aws.invalid') throw refusal;
    return 'again';
  }
  return refusal === 'unavailable' || (refusal === 'throttled' && !isPaced) ? 'again' : refusal;
}

function meaningOf(error: unknown, what: string): Refusal | DenormError {
  switch (awsCode(error).replace(/(Error|Exception)$/, '')) {
    case 'ConditionalCheckFailed':
      return 'lost';
    case 'ItemCollectionSizeLimitExceeded':
      return 'refused';
    case 'Validation':
      return error instanceof Error && aboutTheTable.some((pattern) => pattern.test(error.message))
        ? new FatalError(
            'table.other-shape',
            `${what} was refused: the table's keys or indexes are not those that src/table.ts names`,
          )
        : 'refused';
  }
  const meaning = fromAws(error, what);
  if (!(meaning instanceof TransientError)) return meaning;
  if (meaning.code === 'aws.throttled') return 'throttled';
  return meaning.code === 'aws.conflict' ? 'again' : 'unavailable';
}

/** Messages that concern the table, not a single item. */
const aboutTheTable = [
  /key element does not match the schema/i,
  /type mismatch for key /i,
  /missing the key /i,
  /required keys was not given a value/i,
  /mandatory equality on all key attributes/i,
  /number of conditions on the keys is invalid/i,
  /does not have the specified index/i,
];
