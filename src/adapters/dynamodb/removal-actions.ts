import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { GuardedRemoval, RootCondition } from '../../model/guarded-write.ts';
import { Expression } from './expression.ts';
import { keyAttributes, type TableAccess } from './table-access.ts';

/** A transaction takes 100 actions; one is the root's. Source: AWS, "TransactWriteItems". */
const maxRemovals = 99;

/** In bytes. A transaction takes 4 MB of items, and the root may be 400 KB. Source: AWS, "TransactWriteItems". */
const maxBytes = 3_500_000;

/** A removal and its place among those asked for. */
export interface Removal {
  readonly index: number;
  readonly removal: GuardedRemoval;
}

/** What must be true of the root. */
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

/** The end of one copy, or of what a rule wrote on it, on condition that it stands as read. */
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

/** Full transactions, but none that holds more than one may. */
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
