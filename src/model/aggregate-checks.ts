import { type Aggregate, computedAttributes } from './aggregate.ts';
import { RuleError } from './errors.ts';
import type { Rule } from './rule.ts';
import { owns, remedyForTwoWriters } from './rule-attributes.ts';
import { indexKeyNames, type TableNames } from './table-names.ts';

/** Refuses invalid aggregates, and those that conflict with a rule or another aggregate. */
export function checkAggregates(
  table: TableNames,
  rules: readonly Rule[],
  aggregates: readonly Aggregate[],
): void {
  for (const aggregate of aggregates) {
    checkComputed(table, aggregate);
    checkMembers(table, aggregate);
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
    if (attribute === table.pk || attribute === table.sk)
      throw refusal(
        'rule.writes-key',
        aggregate,
        `computes '${attribute}', a key of the table: remove it from computes`,
      );
    if (indexKeyNames(table).has(attribute))
      throw refusal(
        'rule.writes-key',
        aggregate,
        `computes '${attribute}', a key of an index: compute another attribute, and derive the key from it by a rule`,
      );
    if (attribute === table.ttl)
      throw refusal(
        'rule.writes-expiry',
        aggregate,
        `computes '${attribute}', the TTL attribute: remove it from computes`,
      );
  }
}

function checkMembers(table: TableNames, aggregate: Aggregate): void {
  const indexes = Object.values(table.indexes);
  for (const location of aggregate.members) {
    if (location.in !== 'index') continue;
    const { name, pk, sk } = location.index;
    const own = indexes.find((index) => index.name === name);
    if (own === undefined)
      throw refusal(
        'rule.no-index',
        aggregate,
        `finds members in the index '${name}', which the table does not have: use one of ${indexes.map((index) => index.name).join(', ')}`,
      );
    if (own.pk !== pk || own.sk !== sk)
      throw refusal(
        'rule.no-index',
        aggregate,
        `finds members in the index '${name}' with the keys '${pk}' and '${sk}', but the table has it with '${own.pk}' and '${own.sk}': use the index of the table`,
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

function refusal(code: string, { name }: Aggregate, why: string): RuleError {
  return new RuleError(code, `Rule ${name} ${why}`, { rule: name });
}
