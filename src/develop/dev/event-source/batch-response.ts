import { isRecord } from '../is-record.ts';

/**
 * The position from which Lambda delivers a batch again: the lowest of the failed records, 0 if the response
 * is invalid, undefined if all records succeeded. No response, `{}` and an empty or null list mean success.
 * An identifier that is empty, null, not a string or not in this batch means that all records failed, as does
 * a response that is not an object or whose list is not a list. Source: Lambda Developer Guide, "Configuring
 * partial batch response with DynamoDB and Lambda".
 * @param sequenceNumbers the sequence numbers of the batch, in order
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
