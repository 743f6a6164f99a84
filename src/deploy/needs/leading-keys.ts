import { keyParts, type TableNames } from '../../model/items/table-names.ts';
import type { AnyKind } from '../../model/kinds/kind.ts';

/**
 * Patterns for the condition `dynamodb:LeadingKeys`, which match the partition keys of these kinds: `ORDER#*` for
 * `ORDER#{order}`. Empty if a key may be any text or is a number, as nothing can be told apart then. Source: IAM User Guide, "IAM JSON policy
 * elements: Condition operators", string operators with wildcards; Service Authorization Reference, DynamoDB.
 */
export function leadingKeys(table: TableNames, kinds: readonly AnyKind[]): readonly string[] {
  if (keyParts(table).pk.some(({ type }) => type === 'N')) return [];
  const patterns = new Set(
    kinds.map(({ pkPattern }) => pkPattern.literals.map((text) => text.replace(special, '?')).join('*')),
  );
  return patterns.has('*') ? [] : [...patterns];
}

/** Characters with a meaning in such a pattern. `?` matches any one of them, and needs no escape. */
const special = /[*?$]/g;
