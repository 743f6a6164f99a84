import type { BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import type { GuardedUpdate } from '../../model/guarded-write.ts';
import { comparedNames } from './expression.ts';
import { toSdk } from './sdk-values.ts';
import type { TableAccess } from './table-access.ts';

/** In characters. Source: AWS, "BatchStatementRequest". */
const maxStatement = 8192;

/**
 * Names that mean the same, quoted, to every server: the embedded one reads `"a.b"` and `"a[0]"` as paths, where
 * DynamoDB reads names.
 */
const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * The update as a PartiQL statement, or undefined where it is to be an UpdateItem: an unusual name, a statement that
 * would be too long, nothing to write. A statement never creates an item.
 *
 * `SET` takes a list, `REMOVE` one name: so PartiQL's own grammar has it, and AWS's examples ("PartiQL batch
 * operations", "PartiQL update statements").
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
