/**
 * Removes copies in transactions with a condition on their root. A transaction succeeds or fails as a whole:
 *
 *   a chunk ──> sent ──> written
 *                │ cancelled
 *                ├── the root's condition ──────> `root`, as for all remaining chunks
 *                ├── some copies' conditions ───> `lost`; the other copies are sent again
 *                ├── some copies are invalid ───> `refused`; the other copies are sent again
 *                ├── a conflict, throttling ────> all are retried with back-off; finally `unavailable`
 *                └── invalid, without a reason ─> split in halves to isolate the invalid copy
 */
import {
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { GuardedRemoval, RootCondition, WriteOutcome } from '../../model/guarded-write.ts';
import { pause } from '../back-off.ts';
import { Expression } from './expression.ts';
import { isValidation, type Refusal, refusalOf, refusalOfThrown } from './refusals.ts';
import { keyAttributes, type TableAccess, uniqueKeyBatches } from './table-access.ts';

/** Returns one outcome for each removal, in the same order. */
export async function removeItems(
  access: TableAccess,
  root: RootCondition,
  removals: readonly GuardedRemoval[],
): Promise<WriteOutcome[]> {
  const outcomes = removals.map((): WriteOutcome => 'unavailable');
  const batches = uniqueKeyBatches(
    removals.map((removal, index) => ({ index, removal })),
    ({ removal }) => removal.key,
  );
  const chunks = batches.flatMap(transactionsOf);
  let rootLost = false;
  for (const chunk of chunks) {
    if (!rootLost) await removeChunk(access, root, chunk, outcomes);
    else for (const { index } of chunk) outcomes[index] = 'root';
    rootLost ||= chunk.some(({ index }) => outcomes[index] === 'root');
  }
  return outcomes;
}

/** Records the outcomes of one transaction's removals. Removals without an outcome are unavailable. */
async function removeChunk(
  access: TableAccess,
  root: RootCondition,
  chunk: readonly Removal[],
  outcomes: WriteOutcome[],
): Promise<void> {
  let pending = chunk;
  for (let attempts = 0; pending.length > 0; ) {
    const answer = await send(access, root, pending);
    if (answer.is === 'settled') {
      for (const { index } of pending) outcomes[index] = answer.outcome;
      return;
    }
    if (answer.is === 'invalid') {
      const half = Math.ceil(pending.length / 2);
      await removeChunk(access, root, pending.slice(0, half), outcomes);
      await removeChunk(access, root, pending.slice(half), outcomes);
      return;
    }
    const { root: rootAnswer, copies } = answer;
    pending.forEach(({ index }, location) => {
      const refusal = copies[location];
      if (refusal === 'lost' || refusal === 'refused') outcomes[index] = refusal;
    });
    const willing = pending.filter((_, location) => copies[location] === undefined);
    const waiting = pending.filter(
      (_, location) => copies[location] === undefined || copies[location] === 'again',
    );
    const inTheWay = rootAnswer === 'again' || waiting.length === pending.length;
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
      readonly root: 'again' | undefined;
      readonly copies: readonly (Refusal | undefined)[];
    }
  | { readonly is: 'invalid' };

async function send(access: TableAccess, root: RootCondition, pending: readonly Removal[]): Promise<Answer> {
  const { client, limit, tableName } = access;
  const what = `TransactWriteItems on table ${tableName}`;
  const TransactItems = [
    conditionCheck(access, root),
    ...pending.map(({ removal }) => removalAction(access, removal)),
  ];
  try {
    await limit(() => client.send(new TransactWriteItemsCommand({ TransactItems })));
    return { is: 'settled', outcome: 'written' };
  } catch (error) {
    if (error instanceof TransactionCanceledException) return answerOf(error, what);
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
const maxRemovals = 99;

/**
 * In bytes. A transaction is limited to 4 MB of items, and the root may take 400 KB. Source: AWS,
 * "TransactWriteItems".
 */
const maxBytes = 3_500_000;

/** A removal and its position in the request. */
export interface Removal {
  readonly index: number;
  readonly removal: GuardedRemoval;
}

/** The condition on the root. */
export function conditionCheck(access: TableAccess, { key, expect }: RootCondition): TransactWriteItem {
  const expression = new Expression(access.table);
  const ConditionExpression = expect === 'absent' ? expression.absence() : expression.condition(expect);
  const { tableName: TableName } = access;
  return {
    ConditionCheck: {
      TableName,
      Key: keyAttributes(access, key),
      ConditionExpression,
      ...expression.parameters(),
    },
  };
}

/** Deletes a copy, or clears the attributes that a rule wrote on it, on condition that it is unchanged. */
export function removalAction(
  access: TableAccess,
  { key, clear, expect }: GuardedRemoval,
): TransactWriteItem {
  const expression = new Expression(access.table);
  const UpdateExpression = clear === undefined ? undefined : expression.update({}, clear);
  const ConditionExpression = expression.condition(expect);
  const { tableName: TableName } = access;
  const guarded = {
    TableName,
    Key: keyAttributes(access, key),
    ConditionExpression,
    ...expression.parameters(),
  };
  return UpdateExpression === undefined ? { Delete: guarded } : { Update: { ...guarded, UpdateExpression } };
}

/** Splits removals into transactions as large as DynamoDB allows. */
export function transactionsOf(removals: readonly Removal[]): Removal[][] {
  const chunks: Removal[][] = [];
  let room = 0;
  for (const removal of removals) {
    const { size } = removal.removal;
    const chunk = chunks.at(-1);
    if (chunk !== undefined && chunk.length < maxRemovals && size <= room) chunk.push(removal);
    else {
      chunks.push([removal]);
      room = maxBytes;
    }
    room -= size;
  }
  return chunks;
}
