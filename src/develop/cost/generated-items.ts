import type { AttributeValue } from '../../model/attribute-value.ts';
import { DenormError } from '../../model/errors.ts';
import { type Item, type ItemKey, keyIn, keyText } from '../../model/item.ts';
import { type AnyKind, type Ids, idNames, keyWith } from '../../model/kind.ts';
import { makeRegistry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { attributeValue } from '../testing/plain-values.ts';
import { copyBy } from '../testing/simulation/project/copy-recipe.ts';
import { includedRoots } from '../testing/simulation/project/included-roots.ts';
import type { KindValues } from '../testing/simulation/project/kind-values.ts';
import { type Project, projectOf, type SimulatedRule } from '../testing/simulation/project/project.ts';
import type { RuleItems } from './rule-items.ts';

/**
 * Items that are made from the kinds' key patterns and schemas, as `denorm simulate` makes them. They have every attribute
 * of the schema, and the keys of each index of which the schema lists both.
 * @throws DenormError `cost.items` if no items can be made of a schema, or no copies that name their root
 */
export function generatedItems(table: TableNames, rule: Rule): RuleItems {
  const { project, obstacles } = projectOf(makeRegistry(table, [rule]));
  const [obstacle] = obstacles;
  const [simulated] = project.rules;
  if (obstacle !== undefined || simulated === undefined)
    throw new DenormError('cost.items', obstacle?.message ?? `Expected a rule, got none`, {
      rule: rule.name,
    });
  const roots = project.valuesOf(rule.root);
  // Copies of one root must not have the keys of another's.
  let numbers = 0;
  return {
    roots: (most) => keysOf(rule.root, roots, most).map((key) => includedItem(table, rule, roots, key)),
    copies(root, count) {
      numbers += count;
      return copiesOf(table, project, simulated, root, { first: numbers - count, count });
    },
    otherValues: (_, attribute) =>
      (roots.pools.get(attribute) ?? []).flatMap((value) =>
        value === undefined ? [] : [attributeValue(value)],
      ),
  };
}

/** Keys of which each id differs; those of the simulation if its ids take no numbers. */
function keysOf(kind: AnyKind, { keys }: KindValues, most: number): readonly ItemKey[] {
  const numbered = Array.from({ length: most }, (_, index) => keyWith(kind, numberedIds(kind, index))).filter(
    (key) => key !== undefined,
  );
  return numbered.length > 0 ? numbered : keys.slice(0, most);
}

/** Numbers for each id. */
export function numberedIds(kind: AnyKind, index: number): Ids {
  return Object.fromEntries(idNames(kind).map((name) => [name, numbered(index)]));
}

/** Of one length, so that all items of a kind are of one size. */
export function numbered(index: number): string {
  return String(100_000 + index);
}

/** An item with the first value of each attribute. */
export function wholeItem(table: TableNames, { kind, pools }: KindValues, key: ItemKey): Item {
  const attributes = [...pools].flatMap(([name, [value]]): [string, AttributeValue][] =>
    value === undefined ? [] : [[name, attributeValue(value)]],
  );
  return {
    [table.pk]: { S: key.pk },
    [table.sk]: { S: key.sk },
    ...(kind.type !== undefined && { [table.type]: { S: kind.type } }),
    ...Object.fromEntries(attributes),
    ...indexKeys(table, kind, key),
  };
}

/** The first such item for which `when` is true; the first one if there is none. */
function includedItem(table: TableNames, rule: Rule, values: KindValues, key: ItemKey): Item {
  const item = wholeItem(table, values, key);
  if (rule.when === undefined) return item;
  return includedRoots(table, rule, values, item).next().value ?? item;
}

/** The item's own key, in each index of which the schema lists both keys. */
function indexKeys({ indexes }: TableNames, { attributes }: AnyKind, { pk, sk }: ItemKey): Item {
  const listed = Object.values(indexes).filter((index) =>
    [index.pk, index.sk].every((name) => Object.hasOwn(attributes.shape, name)),
  );
  return Object.fromEntries(
    listed.flatMap((index) => [
      [index.pk, { S: sk }],
      [index.sk, { S: pk }],
    ]),
  );
}

function copiesOf(
  table: TableNames,
  { registry, valuesOf }: Project,
  { rule, recipe }: SimulatedRule,
  root: Item,
  { first, count }: { readonly first: number; readonly count: number },
): Item[] {
  const values = valuesOf(rule.copy);
  const [key] = values.keys;
  if (recipe === undefined || key === undefined) return [];
  const rest = wholeItem(table, values, key);
  const made = Array.from({ length: count }, (_, index) =>
    copyBy(registry, rule, recipe, root, rest, [numbered(first + index)]),
  ).filter((copy) => copy !== undefined);
  return [...new Map(made.map((copy) => [keyText(keyIn(table, copy)), copy])).values()];
}
