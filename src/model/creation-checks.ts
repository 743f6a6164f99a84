import * as z from 'zod';
import { type Aggregate, computedAttributes } from './aggregate.ts';
import { RuleError } from './errors.ts';
import type { Rule } from './rule.ts';
import { owns } from './rule-attributes.ts';
import type { TableNames } from './table-names.ts';

/** What a rule creates must be all that the schema requires: by this rule, or by others that write to the same kind. */
export function checkCreation(
  table: TableNames,
  rule: Rule,
  rules: readonly Rule[],
  aggregates: readonly Aggregate[],
): void {
  const { copy } = rule;
  if (rule.located.in !== 'key' && rule.located.in !== 'keys')
    throw refusal(
      'rule.cannot-create',
      rule,
      "creates copies, but does not list their keys: locate them in 'key' or 'keys', or remove creates",
    );
  const computed = aggregates.filter(({ on }) => on === copy).flatMap(computedAttributes);
  for (const name of requiredOf(table, rule)) {
    if (computed.includes(name)) continue;
    const writers = rules.filter((one) => one.copy === copy && owns(table, one, name));
    const [writer] = writers;
    if (writer === undefined)
      throw refusal(
        'rule.creates-part',
        rule,
        `creates ${copy.name} without '${name}', which its schema requires: add it to copies or derive, or make it optional in the schema`,
      );
    if (
      writers.every((one) => !Object.hasOwn(one.derive, name) && isOptional(one.root.attributes.shape[name]))
    )
      throw refusal(
        'rule.creates-part',
        rule,
        `creates ${copy.name} with '${name}' of ${writer.root.name}, which only the schema of ${copy.name} requires: require it in both schemas, or in neither`,
      );
  }
}

/** The attributes that the schema of a rule's copies requires. */
export function requiredOf(table: TableNames, { copy }: Rule): readonly string[] {
  const attributes = Object.entries(copy.attributes.shape);
  return attributes.flatMap(([name, schema]) => (isOptional(schema) || name === table.type ? [] : [name]));
}

/** An attribute that no schema lists may be there all the same. */
function isOptional(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && z.safeParse(schema, undefined).success;
}

function refusal(code: string, { name }: Rule, why: string): RuleError {
  return new RuleError(code, `Rule ${name} ${why}`, { rule: name });
}
