import type { AnyKind } from '../model/kind.ts';

/**
 * Patterns for the condition `dynamodb:LeadingKeys`, which match the partition keys of these kinds: `ORDER#*` for
 * `ORDER#{order}`. Empty if a key may be any text, as nothing can be told apart then. Source: IAM User Guide, "IAM JSON policy
 * elements: Condition operators", string operators with wildcards; Service Authorization Reference, DynamoDB.
 */
export function leadingKeys(kinds: readonly AnyKind[]): readonly string[] {
  const patterns = new Set(
    kinds.map(({ pkPattern: { pattern } }) => pattern.replace(special, '?').replace(/\{\w+\}/g, '*')),
  );
  return patterns.has('*') ? [] : [...patterns];
}

/** Characters with a meaning in such a pattern. `?` matches any one of them, and needs no escape. */
const special = /[*?$]/g;
