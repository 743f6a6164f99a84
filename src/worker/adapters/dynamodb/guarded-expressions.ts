import type { AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import type { AttributeValue } from '../../../model/attribute-value.ts';
import type { Expectation } from '../../../model/guarded-write.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { toSdk } from './sdk-values.ts';

/** On condition that the item exists and all of `expect` holds, or that it does not exist. */
interface Guarded {
  readonly set?: Readonly<Record<string, AttributeValue>>;
  readonly remove?: readonly string[] | undefined;
  readonly expect: Expectation | 'absent';
}

/** Placeholders are short: DynamoDB limits the text to 4 KB, which leaves room for about 130 missing attributes. */
export function guardedExpressions(table: TableNames, { set = {}, remove = [], expect }: Guarded) {
  const placeholders = new Map<string, string>();
  const values: Record<string, SdkValue> = {};
  let count = 0;
  function nameOf(name: string): string {
    const placeholder = placeholders.get(name) ?? `#${placeholders.size.toString(36)}`;
    placeholders.set(name, placeholder);
    return placeholder;
  }
  function equals(name: string, value: AttributeValue): string {
    const placeholder = `:${(count++).toString(36)}`;
    values[placeholder] = toSdk(value);
    return `${nameOf(name)}=${placeholder}`;
  }
  function compares(name: string, value: AttributeValue | undefined): string {
    return value === undefined ? `attribute_not_exists(${nameOf(name)})` : equals(name, value);
  }

  const assignments = Object.entries(set).map(([name, value]) => equals(name, value));
  const changes = [
    ...(assignments.length > 0 ? [`SET ${assignments.join()}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.map(nameOf).join()}`] : []),
  ];
  const conditions =
    expect === 'absent'
      ? [`attribute_not_exists(${nameOf(table.pk)})`]
      : [
          `attribute_exists(${nameOf(table.pk)})`,
          ...comparedNames(table, expect).map((name) => compares(name, expect[name])),
        ];
  return {
    UpdateExpression: changes.length > 0 ? changes.join(' ') : undefined,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(
      [...placeholders].map(([name, placeholder]) => [placeholder, name]),
    ),
    ExpressionAttributeValues: count > 0 ? values : undefined,
  };
}

/** The key already identifies the item. */
export function comparedNames(table: TableNames, expect: Expectation): string[] {
  return Object.keys(expect).filter((name) => name !== table.pk && name !== table.sk);
}
