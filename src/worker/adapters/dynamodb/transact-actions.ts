import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import {
  type GuardedAction,
  type GuardedCreation,
  type GuardedRemoval,
  isCreation,
  type RootCondition,
} from '../../../model/guarded-write.ts';
import { Expression } from './expression.ts';
import { toSdk } from './sdk-values.ts';
import { keyAttributes, type TableAccess } from './table-access.ts';

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

/** The action of one copy. */
export function transactItem(access: TableAccess, action: GuardedAction): TransactWriteItem {
  return isCreation(action) ? creationAction(access, action) : removalAction(access, action);
}

/** Deletes a copy, or clears the attributes that a rule wrote on it, on condition that it is unchanged. */
function removalAction(access: TableAccess, { key, clear, expect }: GuardedRemoval): TransactWriteItem {
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

/** Puts a copy, on condition that its key is free. */
function creationAction(access: TableAccess, { item }: GuardedCreation): TransactWriteItem {
  const expression = new Expression(access.table);
  const ConditionExpression = expression.absence();
  const Item = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toSdk(value)]));
  return {
    Put: { TableName: access.tableName, Item, ConditionExpression, ...expression.parameters() },
  };
}
