import type * as z from 'zod';
import { refusalOf } from '../basics/errors.ts';
import { isSameKind } from '../kinds/kind.ts';
import { parsedBy } from '../kinds/view.ts';
import type { BoundRule, BoundWriter } from './bound-rule.ts';
import { owns, sourceName, writtenKind } from './rule-attributes.ts';

/** What a rule creates must be all that the schema requires: by this rule, or by others that write to the same kind. */
export function checkCreation(rule: BoundRule, writers: readonly BoundWriter[]): void {
  const { copy, located } = rule;
  const refuse = refusalOf(rule);
  if (located.in !== 'key' && located.in !== 'keys')
    throw refuse(
      'rule.cannot-create',
      "creates copies, but does not list their keys: locate them in 'key' or 'keys', or remove creates",
    );
  for (const name of requiredOf(rule)) {
    const all = writers.filter((one) => isSameKind(writtenKind(one), copy) && owns(one, name));
    const [writer] = all;
    if (writer === undefined)
      throw refuse(
        'rule.creates-part',
        `creates ${copy.name} without '${name}', which its schema requires: add it to copies or derive, or make it optional in the schema`,
      );
    const mayLack = (one: BoundWriter) =>
      one.is === 'rule' &&
      !Object.hasOwn(one.derive, name) &&
      isOptional(one.root.attributes.shape[sourceName(one, name)]);
    if (all.every(mayLack) && writer.is === 'rule')
      throw refuse(
        'rule.creates-part',
        `creates ${copy.name} with '${name}' of ${writer.root.name}, which only the schema of ${copy.name} requires: require it in both schemas, or in neither`,
      );
  }
}

export function requiredOf({ table, copy }: BoundRule): readonly string[] {
  const attributes = Object.entries(copy.attributes.shape);
  return attributes.flatMap(([name, schema]) => (isOptional(schema) || name === table.type ? [] : [name]));
}

/** An attribute that no schema lists may be there all the same. */
function isOptional(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && parsedBy(schema, undefined).success;
}
