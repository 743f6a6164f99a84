/**
 * Creates or removes copies in transactions with a condition on their root. A transaction succeeds or fails as a whole:
 *
 *   a chunk ──> sent ──> written
 *                │ cancelled
 *                ├── the root's condition ──────> `root`, as for all remaining chunks
 *                ├── some copies' conditions ───> `lost`; the other copies are sent again
 *                ├── some copies are invalid ───> `refused`; the other copies are sent again
 *                ├── a conflict, throttling ────> all are retried with back-off; finally `unavailable`
 *                ├── throttling, if the caller paces its writes ──> all `throttled`
 *                └── invalid, without a reason ─> split in halves to isolate the invalid copy
 */
import { TransactionCanceledException, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { GuardedAction, RootCondition, WriteOutcome } from '../../../model/guarded-write.ts';
import type { OnSpent } from '../../ports.ts';
import { pause } from '../back-off.ts';
import { isThrottling, isValidation, type Refusal, refusalOf, refusalOfThrown } from './refusals.ts';
import { tableUnits, withUnits } from './spent-units.ts';
import { type TableAccess, uniqueKeyBatches } from './table-access.ts';
import { conditionCheck, transactItem } from './transact-actions.ts';

/** Returns one outcome for each action, in the same order. */
export async function transactItems(
  access: TableAccess,
  root: RootCondition,
  actions: readonly GuardedAction[],
  onSpent?: OnSpent,
): Promise<WriteOutcome[]> {
  const outcomes = actions.map((): WriteOutcome => 'unavailable');
  const batches = uniqueKeyBatches(
    actions.map((action, index) => ({ action, size: action.size, index })),
    ({ action }) => action.key,
  );
  const chunks = batches.flatMap((batch) => transactionsOf(batch));
  let rootLost = false;
  for (const chunk of chunks) {
    if (!rootLost) await writeChunk(access, root, chunk, outcomes, onSpent);
    else for (const { index } of chunk) outcomes[index] = 'root';
    rootLost ||= chunk.some(({ index }) => outcomes[index] === 'root');
  }
  return outcomes;
}

/** An action and its position in the request. */
interface PlacedAction {
  readonly action: GuardedAction;
  readonly size: number;
  readonly index: number;
}

/** Records the outcomes of one transaction's writes. Writes without an outcome are unavailable. */
async function writeChunk(
  access: TableAccess,
  root: RootCondition,
  chunk: readonly PlacedAction[],
  outcomes: WriteOutcome[],
  onSpent: OnSpent | undefined,
): Promise<void> {
  let pending = chunk;
  for (let attempts = 0; pending.length > 0; ) {
    const answer = await send(access, root, pending, onSpent);
    if (answer.is === 'settled') {
      for (const { index } of pending) outcomes[index] = answer.outcome;
      return;
    }
    if (answer.is === 'invalid') {
      const half = Math.ceil(pending.length / 2);
      await writeChunk(access, root, pending.slice(0, half), outcomes, onSpent);
      await writeChunk(access, root, pending.slice(half), outcomes, onSpent);
      return;
    }
    const { root: rootAnswer, copies } = answer;
    pending.forEach(({ index }, location) => {
      const refusal = copies[location];
      if (refusal === 'lost' || refusal === 'refused') outcomes[index] = refusal;
    });
    if (onSpent !== undefined && [rootAnswer, ...copies].includes('throttled')) {
      for (const [location, { index }] of pending.entries())
        if (!isFinal(copies[location])) outcomes[index] = 'throttled';
      return;
    }
    const willing = pending.filter((_, location) => copies[location] === undefined);
    const waiting = pending.filter((_, location) => !isFinal(copies[location]));
    const inTheWay = rootAnswer !== undefined || waiting.length === pending.length;
    if (waiting.length === willing.length && !inTheWay) {
      pending = willing;
      continue;
    }
    // An outcome for any copy counts as progress.
    attempts = waiting.length < pending.length ? 1 : attempts + 1;
    if (attempts < access.backOff.attempts) {
      await pause(access.backOff, attempts);
      pending = waiting;
    } else if (waiting.length > willing.length) pending = willing;
    else return;
  }
}

type Answer =
  | { readonly is: 'settled'; readonly outcome: WriteOutcome }
  /**
   * Cancelled, with a reason for the root or for each copy. Undefined if an action did not cause the
   * cancellation.
   */
  | {
      readonly is: 'cancelled';
      readonly root: 'again' | 'throttled' | undefined;
      readonly copies: readonly (Refusal | undefined)[];
    }
  | { readonly is: 'invalid' };

function isFinal(refusal: Refusal | undefined): boolean {
  return refusal === 'lost' || refusal === 'refused';
}

async function send(
  access: TableAccess,
  root: RootCondition,
  pending: readonly PlacedAction[],
  onSpent: OnSpent | undefined,
): Promise<Answer> {
  const { client, limit, tableName } = access;
  const what = `TransactWriteItems on table ${tableName}`;
  const TransactItems = [
    conditionCheck(access, root),
    ...pending.map(({ action }) => transactItem(access, action)),
  ];
  try {
    const { ConsumedCapacity } = await limit(() =>
      client.send(new TransactWriteItemsCommand({ TransactItems, ...withUnits(onSpent) })),
    );
    tableUnits(onSpent, ConsumedCapacity);
    return { is: 'settled', outcome: 'written' };
  } catch (error) {
    if (error instanceof TransactionCanceledException) return answerOf(error, what);
    if (onSpent !== undefined && isThrottling(error)) return { is: 'settled', outcome: 'throttled' };
    const refusal = refusalOfThrown(error, what);
    if (isValidation(error) && pending.length > 1) return { is: 'invalid' };
    return refusal === 'again'
      ? { is: 'cancelled', root: 'again', copies: [] }
      : { is: 'settled', outcome: refusal };
  }
}

/**
 * Reads the reasons of a cancellation: one for each action, in the same order, the root first.
 * @throws FatalError if a reason means that no write can succeed
 */
function answerOf(error: TransactionCanceledException, what: string): Answer {
  const { CancellationReasons: reasons = [] } = error;
  const refusals = reasons.map(({ Code, Message }) =>
    Code === undefined || Code === 'None' ? undefined : refusalOf(Code, Message, what),
  );
  const [root, ...others] = refusals;
  if (root === 'lost') return { is: 'settled', outcome: 'root' };
  if (root === 'refused') return { is: 'settled', outcome: 'refused' };
  return { is: 'cancelled', root, copies: others };
}

/**
 * A transaction is limited to 100 actions, and one is the condition on the root. Source: AWS,
 * "TransactWriteItems".
 */
const maxWrites = 99;

/**
 * In bytes. A transaction is limited to 4 MB of items, and the root may take 400 KB. Source: AWS,
 * "TransactWriteItems".
 */
const maxBytes = 3_500_000;

/** Splits writes into transactions as large as DynamoDB allows. */
export function transactionsOf<Write extends { readonly size: number }>(writes: readonly Write[]): Write[][] {
  const chunks: Write[][] = [];
  let room = 0;
  for (const write of writes) {
    const { size } = write;
    const chunk = chunks.at(-1);
    if (chunk !== undefined && chunk.length < maxWrites && size <= room) chunk.push(write);
    else {
      chunks.push([write]);
      room = maxBytes;
    }
    room -= size;
  }
  return chunks;
}
