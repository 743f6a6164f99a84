import { type Aggregate, computedAttributes } from './aggregate.ts';
import type { Rule } from './rule.ts';
import { owns, remedyForTwoWriters } from './rule-attributes.ts';
import { checkIndex, checkWritable, refusal } from './rule-checks.ts';
import { indexKeyNames, type TableNames } from './table-names.ts';

/** Refuses invalid aggregates, and those that conflict with a rule or another aggregate. */
export function checkAggregates(
  table: TableNames,
  rules: readonly Rule[],
  aggregates: readonly Aggregate[],
): void {
  for (const aggregate of aggregates) {
    checkComputed(table, aggregate);
    for (const location of aggregate.members)
      if (location.in === 'index') checkIndex(table, aggregate, 'finds members', location.index);
  }
  aggregates.forEach((aggregate, index) => {
    for (const rule of rules)
      if (rule.copy.name === aggregate.on.name)
        checkOwnership(aggregate, rule, (attribute) => owns(table, rule, attribute));
    for (const other of aggregates.slice(index + 1))
      if (other.on.name === aggregate.on.name)
        checkOwnership(aggregate, other, (attribute) => Object.hasOwn(other.computes, attribute));
  });
}

function checkComputed(table: TableNames, aggregate: Aggregate): void {
  for (const attribute of computedAttributes(aggregate)) {
    checkWritable(table, aggregate, attribute);
    if (indexKeyNames(table).has(attribute))
      throw refusal(
        'rule.writes-key',
        aggregate,
        `computes '${attribute}', a key of an index: compute another attribute, and derive the key from it by a rule`,
      );
  }
}

function checkOwnership(
  aggregate: Aggregate,
  other: Rule | Aggregate,
  owned: (attribute: string) => boolean,
): void {
  const both = computedAttributes(aggregate).find(owned);
  if (both !== undefined)
    throw refusal(
      'rule.owned-twice',
      aggregate,
      `and rule ${other.name} both write '${both}' of ${aggregate.on.name}: ${remedyForTwoWriters('copies' in other && other.copies === 'all')}`,
    );
}
