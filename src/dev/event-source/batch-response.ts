import { isRecord } from '../is-record.ts';

/**
 * Where a batch has to be delivered again from, as Lambda reads a function's response: the lowest position among the
 * failed records, 0 where nothing of it can be trusted, undefined where all is well.
 *
 * No response, `{}` and an empty or null list are "all well"; an identifier that is empty, null, no text or not of
 * this batch is "all failed", as is a response that is no object or whose list is none.
 * Source: Lambda Developer Guide, "Configuring partial batch response with DynamoDB and Lambda".
 * @param sequenceNumbers the batch's, in its order
 */
export function firstFailed(response: unknown, sequenceNumbers: readonly string[]): number | undefined {
  if (response === undefined || response === null) return undefined;
  if (!isRecord(response)) return 0;
  const { batchItemFailures: failures } = response;
  if (failures === undefined || failures === null) return undefined;
  if (!Array.isArray(failures)) return 0;
  if (failures.length === 0) return undefined;
  const positions = failures.map((failure: unknown) => {
    const identifier = isRecord(failure) ? failure.itemIdentifier : undefined;
    return typeof identifier === 'string' ? sequenceNumbers.indexOf(identifier) : -1;
  });
  return Math.max(0, Math.min(...positions));
}
