import type { BatchStatementRequest, AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import type { AttributeValue } from '../../../model/attribute-value.ts';
import type { GuardedUpdate } from '../../../model/guarded-write.ts';
import { remembered } from '../../../model/remembered.ts';
import { comparedNames } from './guarded-expressions.ts';
import { toSdk } from './sdk-values.ts';
import type { TableAccess } from './table-access.ts';

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
  const isPlain = remembered((name) => plainName.test(name));
  const texts = new Map<string, string>();
  return ({ key, set, remove, expect }) => {
    const assigned = Object.keys(set);
    const compared = comparedNames(table, expect);
    if (assigned.length + remove.length === 0) return undefined;
    if (![table.pk, table.sk, ...assigned, ...remove, ...compared].every(isPlain)) return undefined;
    const present = compared.filter((name) => expect[name] !== undefined);
    const absent = compared.filter((name) => expect[name] === undefined);
    // No plain name contains a separator.
    const shape = [assigned, remove, present, absent].join(';');
    const Statement = texts.get(shape) ?? textOf(access, assigned, remove, present, absent);
    texts.set(shape, Statement);
    if (Statement.length > maxStatement) return undefined;
    const Parameters: SdkValue[] = [];
    for (const name of assigned) pushValue(Parameters, set[name]);
    Parameters.push({ S: key.pk }, { S: key.sk });
    for (const name of present) pushValue(Parameters, expect[name]);
    return { Statement, Parameters };
  };
}

function textOf(
  { table, tableName }: TableAccess,
  assigned: readonly string[],
  removed: readonly string[],
  present: readonly string[],
  absent: readonly string[],
): string {
  const changes = [
    ...(assigned.length > 0 ? [`SET ${assigned.map((name) => `"${name}"=?`).join()}`] : []),
    ...removed.map((name) => `REMOVE "${name}"`),
  ];
  const conditions = [
    ...[table.pk, table.sk, ...present].map((name) => `"${name}"=?`),
    ...absent.map((name) => `"${name}" IS MISSING`),
  ];
  return `UPDATE "${tableName}" ${changes.join(' ')} WHERE ${conditions.join(' AND ')}`;
}

function pushValue(parameters: SdkValue[], value: AttributeValue | undefined): void {
  if (value !== undefined) parameters.push(toSdk(value));
}
