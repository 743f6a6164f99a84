import type { AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import type { AttributeValue } from '../../../model/attribute-value.ts';
import type { Expectation } from '../../../model/guarded-write.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { toSdk } from './sdk-values.ts';

/**
 * Builds the expressions of one action, with a placeholder for each name and value. Placeholders are as short
 * as possible: DynamoDB limits the text to 4 KB, which leaves room for about 130 attributes that must be
 * missing.
 */
export class Expression {
  private readonly placeholders = new Map<string, string>();
  private readonly values: Record<string, SdkValue> = {};
  private readonly table: TableNames;

  constructor(table: TableNames) {
    this.table = table;
  }

  /** The item exists and everything in `expect` is unchanged. The key needs no comparison. */
  condition(expect: Expectation): string {
    return [`attribute_exists(${this.name(this.table.pk)})`, ...this.comparisons(expect)].join(' AND ');
  }

  /** The item does not exist. */
  absence(): string {
    return `attribute_not_exists(${this.name(this.table.pk)})`;
  }

  /** The attributes to set and to remove. Empty if there are none. */
  update(set: Readonly<Record<string, AttributeValue>>, remove: readonly string[]): string {
    const assignments = Object.entries(set).map(([name, value]) => `${this.name(name)}=${this.value(value)}`);
    const removals = remove.map((name) => this.name(name));
    return [
      ...(assignments.length > 0 ? [`SET ${assignments.join()}`] : []),
      ...(removals.length > 0 ? [`REMOVE ${removals.join()}`] : []),
    ].join(' ');
  }

  /** The placeholders used so far. Call this after all expressions of the action are built. */
  parameters(): {
    ExpressionAttributeNames: Record<string, string>;
    ExpressionAttributeValues?: Record<string, SdkValue>;
  } {
    const names = Object.fromEntries(
      [...this.placeholders].map(([name, placeholder]) => [placeholder, name]),
    );
    const hasValues = Object.keys(this.values).length > 0;
    return { ExpressionAttributeNames: names, ...(hasValues && { ExpressionAttributeValues: this.values }) };
  }

  private comparisons(expect: Expectation): string[] {
    return comparedNames(this.table, expect).map((name) => {
      const value = expect[name];
      return value === undefined
        ? `attribute_not_exists(${this.name(name)})`
        : `${this.name(name)}=${this.value(value)}`;
    });
  }

  private name(name: string): string {
    const placeholder = this.placeholders.get(name) ?? `#${this.placeholders.size.toString(36)}`;
    this.placeholders.set(name, placeholder);
    return placeholder;
  }

  private value(value: AttributeValue): string {
    const placeholder = `:${Object.keys(this.values).length.toString(36)}`;
    this.values[placeholder] = toSdk(value);
    return placeholder;
  }
}

/**
 * The attributes of an expectation that need a comparison. The request already identifies the item by its
 * key.
 */
export function comparedNames(table: TableNames, expect: Expectation): string[] {
  return Object.keys(expect).filter((name) => name !== table.pk && name !== table.sk);
}
