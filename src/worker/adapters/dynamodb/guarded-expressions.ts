import type { BatchStatementRequest, AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import type { AttributeValue } from '../../../model/items/attribute-value.ts';
import { keyEntries } from '../../../model/items/item.ts';
import { keyParts, pkName, type TableNames } from '../../../model/items/table-names.ts';
import type { Expectation, GuardedUpdate } from '../../../model/work/guarded-write.ts';
import { type TableAccess, toSdk } from './table-access.ts';

/** On condition that the item exists and all of `expect` holds, or that it does not exist. */
interface Guarded {
  readonly set?: Readonly<Record<string, AttributeValue>> | undefined;
  readonly remove?: readonly string[] | undefined;
  /** Numbers to add, exactly. */
  readonly add?: Readonly<Record<string, string>>;
  /** Undefined: on no condition. */
  readonly expect: Expectation | 'absent' | undefined;
}

/** Placeholders are short: DynamoDB limits the text to 4 KB, which leaves room for about 130 missing attributes. */
export function guardedExpressions(table: TableNames, { set = {}, remove = [], add = {}, expect }: Guarded) {
  const placeholders = new Map<string, string>();
  const values = new Map<string, SdkValue>();
  function nameOf(name: string): string {
    const placeholder = placeholders.get(name) ?? `#${placeholders.size.toString(36)}`;
    placeholders.set(name, placeholder);
    return placeholder;
  }
  function placed(value: SdkValue): string {
    const placeholder = `:${values.size.toString(36)}`;
    values.set(placeholder, value);
    return placeholder;
  }
  const equals = (name: string, value: AttributeValue) => `${nameOf(name)}=${placed(toSdk(value))}`;
  function compares(name: string, value: AttributeValue | undefined): string {
    return value === undefined ? `attribute_not_exists(${nameOf(name)})` : equals(name, value);
  }

  const assignments = Object.entries(set).map(([name, value]) => equals(name, value));
  const additions = Object.entries(add).map(([name, N]) => `${nameOf(name)} ${placed({ N })}`);
  const changes = [
    ...(assignments.length > 0 ? [`SET ${assignments.join()}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.map(nameOf).join()}`] : []),
    ...(additions.length > 0 ? [`ADD ${additions.join()}`] : []),
  ];
  const conditions =
    expect === undefined
      ? []
      : expect === 'absent'
        ? [`attribute_not_exists(${nameOf(pkName(table))})`]
        : [
            `attribute_exists(${nameOf(pkName(table))})`,
            ...comparedNames(table, expect).map((name) => compares(name, expect[name])),
          ];
  return {
    UpdateExpression: changes.length > 0 ? changes.join(' ') : undefined,
    ConditionExpression: conditions.length > 0 ? conditions.join(' AND ') : undefined,
    ExpressionAttributeNames: Object.fromEntries(
      [...placeholders].map(([name, placeholder]) => [placeholder, name]),
    ),
    ExpressionAttributeValues: values.size > 0 ? Object.fromEntries(values) : undefined,
  };
}

/** The key already identifies the item. */
function comparedNames(table: TableNames, expect: Expectation): string[] {
  const { names } = keyParts(table);
  return Object.keys(expect).filter((name) => !names.includes(name));
}

/** In characters. Source: AWS, "BatchStatementRequest". */
const maxStatement = 8192;

/** The embedded server reads `"a.b"` and `"a[0]"` as paths, but DynamoDB reads them as names. */
const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * Makes an update a PartiQL statement, which never creates an item. Undefined if it must be an UpdateItem request. `SET`
 * accepts a list and `REMOVE` a single name (AWS, "PartiQL update statements"). Updates of the same attributes share one text.
 */
export function statements(
  access: TableAccess,
): (update: GuardedUpdate) => BatchStatementRequest | undefined {
  const { table } = access;
  let last: { readonly shape: Shape; readonly Statement: string | undefined } | undefined;
  return ({ key, set, remove, expect }) => {
    const assigned = Object.keys(set);
    const present: string[] = [];
    const absent: string[] = [];
    const values: AttributeValue[] = [
      ...Object.values(set),
      ...keyEntries(table, key).map(([, value]) => value),
    ];
    for (const name of comparedNames(table, expect)) {
      const value = expect[name];
      (value === undefined ? absent : present).push(name);
      if (value !== undefined) values.push(value);
    }
    const shape: Shape = [assigned, remove, present, absent];
    if (last === undefined || !isSame(last.shape, shape)) last = { shape, Statement: textOf(access, shape) };
    const { Statement } = last;
    return Statement === undefined ? undefined : { Statement, Parameters: values.map(toSdk) };
  };
}

type Shape = readonly [
  assigned: readonly string[],
  removed: readonly string[],
  present: readonly string[],
  absent: readonly string[],
];

function isSame(one: Shape, other: Shape): boolean {
  return one.every(
    (names, index) =>
      names.length === other[index]?.length &&
      names.every((name, position) => name === other[index]?.[position]),
  );
}

/** Undefined if no statement can say it. */
function textOf(
  { table, tableName }: TableAccess,
  [assigned, removed, present, absent]: Shape,
): string | undefined {
  const { names } = keyParts(table);
  if (assigned.length + removed.length === 0) return undefined;
  if (![...names, ...assigned, ...removed, ...present, ...absent].every((name) => plainName.test(name)))
    return undefined;
  const changes = [
    ...(assigned.length > 0 ? [`SET ${assigned.map((name) => `"${name}"=?`).join()}`] : []),
    ...removed.map((name) => `REMOVE "${name}"`),
  ];
  const conditions = [
    ...[...names, ...present].map((name) => `"${name}"=?`),
    ...absent.map((name) => `"${name}" IS MISSING`),
  ];
  const text = `UPDATE "${tableName}" ${changes.join(' ')} WHERE ${conditions.join(' AND ')}`;
  return text.length > maxStatement ? undefined : text;
}
