import type { BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import type { GuardedUpdate } from '../../model/guarded-write.ts';
import { comparedNames } from './expression.ts';
import { toSdk } from './sdk-values.ts';
import type { TableAccess } from './table-access.ts';

/** In characters. Source: AWS, "BatchStatementRequest". */
const maxStatement = 8192;

/**
 * Names that every server reads the same way when quoted. The embedded server reads `"a.b"` and `"a[0]"` as
 * paths, but DynamoDB reads them as names.
 */
const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * The update as a PartiQL statement. Undefined if it must be an UpdateItem request: an unusual name, a
 * statement that is too long, or nothing to write. A statement never creates an item. `SET` accepts a list
 * and `REMOVE` a single name, according to PartiQL's grammar and AWS's examples ("PartiQL batch operations",
 * "PartiQL update statements").
 */
export function statementOf(
  access: TableAccess,
  { key, set, remove, expect }: GuardedUpdate,
): BatchStatementRequest | undefined {
  const { table, tableName } = access;
  const assigned = Object.entries(set);
  const compared = comparedNames(table, expect);
  if (assigned.length + remove.length === 0) return undefined;
  if (
    ![table.pk, table.sk, ...Object.keys(set), ...remove, ...compared].every((name) => plainName.test(name))
  )
    return undefined;
  const changes = [
    ...(assigned.length > 0 ? [`SET ${assigned.map(([name]) => `"${name}"=?`).join()}`] : []),
    ...remove.map((name) => `REMOVE "${name}"`),
  ];
  const conditions = [
    `"${table.pk}"=?`,
    `"${table.sk}"=?`,
    ...compared.map((name) => (expect[name] === undefined ? `"${name}" IS MISSING` : `"${name}"=?`)),
  ];
  const Statement = `UPDATE "${tableName}" ${changes.join(' ')} WHERE ${conditions.join(' AND ')}`;
  if (Statement.length > maxStatement) return undefined;
  const expected = compared.flatMap((name) => expect[name] ?? []);
  const Parameters = [
    ...assigned.map(([, value]) => toSdk(value)),
    { S: key.pk },
    { S: key.sk },
    ...expected.map(toSdk),
  ];
  return { Statement, Parameters };
}
