/**
 * Creates or removes copies in transactions with a condition on their root. A transaction succeeds or fails as a whole:
 *
 *   a chunk ──> sent ──> written
 *                │ cancelled
 *                ├── the root's condition ──────> `root`, as for all remaining chunks
 *                ├── some copies' conditions ───> `lost`; the other copies are sent again
 *                ├── some copies are invalid ───> `refused`; the other copies are sent again
 *                ├── a conflict, throttling ────> all are retried with back-off; finally `unavailable`, and the others sent alone
 *                ├── throttling, if the caller paces its writes ──> all `throttled`
 *                └── invalid, or the head is ───> split in halves to isolate what is invalid
 */
import {
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { batchesOf } from '../../../model/basics/chunks-of.ts';
import { keyAttributes } from '../../../model/items/item.ts';
import {
  addedBy,
  type GuardedAction,
  isCreation,
  type RootCondition,
  type WriteOutcome,
} from '../../../model/work/guarded-write.ts';
import type { WriteOptions } from '../../ports.ts';
import { untilNoneLeft } from '../../retry.ts';
import { guardedExpressions } from './guarded-expressions.ts';
import { refusalFrom, refusalFromPart } from './refusals.ts';
import { itemToSdk, type TableAccess, tellUnits, withUnits } from './table-access.ts';

type Transacting = TableAccess & WriteOptions & { readonly root: RootCondition };

export async function transactItems(
  transacting: Transacting,
  actions: readonly GuardedAction[],
): Promise<WriteOutcome[]> {
  const outcomes: Outcomes = new Map();
  let isRootLost = false;
  for (const chunk of transactionsOf(actions)) {
    if (!isRootLost) await writeChunk(transacting, chunk, outcomes);
    else for (const action of chunk) outcomes.set(action, 'root');
    isRootLost ||= chunk.some((action) => outcomes.get(action) === 'root');
  }
  return actions.map((action) => outcomes.get(action) ?? 'unavailable');
}

/** Writes without an outcome are unavailable. */
type Outcomes = Map<GuardedAction, WriteOutcome>;

async function writeChunk(
  transacting: Transacting,
  chunk: readonly GuardedAction[],
  outcomes: Outcomes,
): Promise<void> {
  let pending = chunk;
  let free: readonly GuardedAction[] = [];
  await untilNoneLeft(transacting.backOff, chunk.length, async () => {
    const verdicts = await send(transacting, pending);
    for (const [location, action] of pending.entries()) {
      const verdict = verdicts[location];
      if (verdict !== undefined && verdict !== 'again') outcomes.set(action, verdict);
    }
    free = pending.filter((_, location) => verdicts[location] === undefined);
    pending = pending.filter((action) => !outcomes.has(action));
    return pending.length;
  });
  if (free.length < pending.length) await writeChunk(transacting, free, outcomes);
}

/** Undefined for an action that did not cause the cancellation. */
type Verdict = WriteOutcome | 'again' | undefined;

async function send(
  transacting: Transacting,
  pending: readonly GuardedAction[],
): Promise<readonly Verdict[]> {
  const { client, limit, tableName, root, onSpent, isPaced } = transacting;
  if (pending.length === 0) return [];
  const what = `TransactWriteItems on table ${tableName}`;
  const TransactItems = [
    ...ofRoot(transacting, root, pending),
    ...pending.map((action) => transactItem(transacting, action)),
  ];
  const command = new TransactWriteItemsCommand({ TransactItems, ...withUnits(onSpent) });
  try {
    const { ConsumedCapacity } = await limit(() => client.send(command));
    tellUnits(onSpent, ConsumedCapacity);
    return pending.map(() => 'written');
  } catch (error) {
    const isWhole = !(error instanceof TransactionCanceledException);
    const verdicts = isWhole
      ? pending.map(() => refusalFrom(error, what, isPaced))
      : verdictsOf(error, transacting, pending, what);
    // One contribution may be too much for the sum.
    const mayBeOne = (isWhole || root.expect === 'head') && pending.length > 1;
    if (!mayBeOne || verdicts.some((verdict) => verdict !== 'refused')) return verdicts;
    const half = Math.ceil(pending.length / 2);
    const first = await send(transacting, pending.slice(0, half));
    return [...first, ...(await send(transacting, pending.slice(half)))];
  }
}

/** A cancellation has one reason for each action, in the same order, the root first. */
function verdictsOf(
  { CancellationReasons: reasons = [] }: TransactionCanceledException,
  { root: { expect }, isPaced }: Transacting,
  pending: readonly GuardedAction[],
  what: string,
): readonly Verdict[] {
  const [root, ...others] = [...(expect === 'none' ? [{}] : []), ...reasons].map((reason) =>
    reason.Code === undefined || reason.Code === 'None' ? undefined : refusalFromPart(reason, what, isPaced),
  );
  if (root === 'lost') return pending.map(() => 'root');
  if (root === 'refused') return pending.map(() => 'refused');
  // Without a copy's reason, nobody knows what is in the way.
  const everybody = [root, ...others].includes('throttled')
    ? 'throttled'
    : root === 'again' || others.every((other) => other === undefined)
      ? 'again'
      : undefined;
  return pending.map((_, location) => {
    const own = others[location];
    return own === 'lost' || own === 'refused' ? own : (everybody ?? own);
  });
}

/** Of 100 actions one is the condition on the root, and of 4 MB it may take 400 KB. Source: AWS, "TransactWriteItems". */
const limits = { count: 99, size: 3_500_000 };

export function transactionsOf<Write extends { readonly size: number }>(writes: readonly Write[]): Write[][] {
  return batchesOf(writes, limits, ({ size }) => size);
}

function ofRoot(
  { table, tableName: TableName }: TableAccess,
  { key, expect, put }: RootCondition,
  actions: readonly GuardedAction[],
): TransactWriteItem[] {
  if (expect === 'none') return [];
  const Key = keyAttributes(table, key);
  if (expect === 'head') {
    const update = guardedExpressions(table, { set: put, add: addedBy(actions), expect: undefined });
    return [{ Update: { TableName, Key, ...update } }];
  }
  const { UpdateExpression: _, ...condition } = guardedExpressions(table, { expect });
  return [{ ConditionCheck: { TableName, Key, ...condition } }];
}

function transactItem(
  { table, tableName: TableName }: TableAccess,
  action: GuardedAction,
): TransactWriteItem {
  if (isCreation(action)) {
    const { UpdateExpression: _, ...condition } = guardedExpressions(table, { expect: 'absent' });
    return { Put: { TableName, Item: itemToSdk(action.item), ...condition } };
  }
  const { key, clear, put, expect } = action;
  const { UpdateExpression, ...condition } = guardedExpressions(table, { set: put, remove: clear, expect });
  const guarded = { TableName, Key: keyAttributes(table, key), ...condition };
  return UpdateExpression === undefined ? { Delete: guarded } : { Update: { ...guarded, UpdateExpression } };
}
