import type { Aggregate } from './aggregate.ts';
import { checkCreation } from './creation-checks.ts';
import { RuleError } from './errors.ts';
import type { Rule } from './rule.ts';
import { locatingAttributes, namedOutputs, owns, remedyForTwoWriters } from './rule-attributes.ts';
import { checkCycles } from './rule-cycles.ts';
import type { IndexNames, TableNames } from './table-names.ts';

interface Named {
  readonly name: string;
}

/** Refuses invalid rules and conflicting ones. Each error names the rule and the correction. */
export function checkRules(
  table: TableNames,
  rules: readonly Rule[],
  aggregates: readonly Aggregate[] = [],
): void {
  for (const rule of rules) {
    checkOutputs(table, rule);
    checkShape(table, rule);
  }
  for (const [index, rule] of rules.entries())
    for (const other of rules.slice(index + 1)) checkOwnership(table, rule, other);
  checkCycles(table, rules, aggregates);
  for (const rule of rules) if (rule.creates) checkCreation(table, rule, rules, aggregates);
}

function checkOutputs(table: TableNames, rule: Rule): void {
  for (const attribute of namedOutputs(rule)) {
    checkWritable(table, rule, attribute);
    if (rule.own.includes(attribute))
      throw refusal(
        'rule.writes-own',
        rule,
        `writes '${attribute}', which belongs to the copy by own: remove it from own, or from copies and derive`,
      );
    if (locatingAttributes(rule).includes(attribute))
      throw refusal(
        'rule.writes-location',
        rule,
        `writes '${attribute}', a key of the index that locates its copies: locate them in another way`,
      );
  }
}

/** Refuses an attribute that neither a rule nor an aggregate may write. */
export function checkWritable(table: TableNames, rule: Rule | Aggregate, attribute: string): void {
  const [writes, field] = 'computes' in rule ? ['computes', 'computes'] : ['writes', 'copies or derive'];
  const refuse = (code: string, what: string) =>
    refusal(code, rule, `${writes} '${attribute}', ${what}: remove it from ${field}`);
  if (attribute === table.pk || attribute === table.sk) throw refuse('rule.writes-key', 'a key of the table');
  if (attribute === table.ttl) throw refuse('rule.writes-expiry', 'the TTL attribute');
}

/** Refuses an index that the table does not have, or has with other keys. @param finds what the rule finds there */
export function checkIndex(
  { indexes }: TableNames,
  rule: Named,
  finds: string,
  { name, pk, sk }: IndexNames,
): void {
  const all = Object.values(indexes);
  const own = all.find((index) => index.name === name);
  if (own === undefined)
    throw refusal(
      'rule.no-index',
      rule,
      `${finds} in the index '${name}', which the table does not have: use one of ${all.map((index) => index.name).join(', ')}`,
    );
  if (own.pk !== pk || own.sk !== sk)
    throw refusal(
      'rule.no-index',
      rule,
      `${finds} in the index '${name}' with the keys '${pk}' and '${sk}', but the table has it with '${own.pk}' and '${own.sk}': use the index of the table`,
    );
}

function checkShape(table: TableNames, rule: Rule): void {
  const { located, copies, tenant } = rule;
  if (located.in === 'index') checkIndex(table, rule, 'locates copies', located.index);
  if (located.in === 'itself' && rule.root !== rule.copy)
    throw refusal(
      'rule.not-itself',
      rule,
      `is located in 'itself' but has the root ${rule.root.name} and the copy ${rule.copy.name}: make both the same kind`,
    );
  if (located.in === 'itself' && rule.when !== undefined && rule.onDelete === 'delete')
    throw refusal(
      'rule.deletes-itself',
      rule,
      "would delete items for which its when is false: set onDelete to 'clear' or 'keep'",
    );
  if (located.in === 'itself' && (copies === 'all' || copies.length > 0))
    throw refusal(
      'rule.copies-itself',
      rule,
      'copies attributes of an item to the same item: use derive instead of copies',
    );
  if (copies !== 'all' && (rule.unknown === 'remove' || rule.own.length > 0))
    throw refusal(
      'rule.needs-all',
      rule,
      "has own or unknown: 'remove' but lists what it copies: remove them, or set copies: 'all'",
    );
  if (tenant !== undefined && !(hasId(rule.root, tenant) && hasId(rule.copy, tenant)))
    throw refusal(
      'rule.no-tenant',
      rule,
      `has the tenant '${tenant}', which is not an id in the keys of both root and copy: add {${tenant}} to their key patterns`,
    );
}

function hasId(kind: Rule['root'], id: string): boolean {
  return [kind.pkPattern, kind.skPattern].some(({ pattern }) => pattern.includes(`{${id}}`));
}

function checkOwnership(table: TableNames, rule: Rule, other: Rule): void {
  if (rule.copy.name !== other.copy.name) return;
  const both =
    namedOutputs(rule).find((attribute) => owns(table, other, attribute)) ??
    namedOutputs(other).find((attribute) => owns(table, rule, attribute));
  const all = [rule, other].filter(({ copies }) => copies === 'all');
  if (both !== undefined || all.length === 2)
    throw refusal(
      'rule.owned-twice',
      rule,
      `and rule ${other.name} both write ${both === undefined ? 'all attributes' : `'${both}'`} of ${rule.copy.name}: ${remedyForTwoWriters(all.length > 0)}`,
    );
}

export function refusal(code: string, rule: Named, why: string): RuleError {
  return new RuleError(code, `Rule ${rule.name} ${why}`, { rule: rule.name });
}
