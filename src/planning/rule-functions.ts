import type { Derived } from '../domain/attribute-value.ts';
import { DenormError, Unprojectable } from '../domain/errors.ts';
import {
  type Item,
  type ItemKey,
  isLegalKey,
  isLegalKeyPart,
  keyOf,
  longestPk,
  longestSk,
} from '../domain/item.ts';
import { viewOf } from '../domain/kind.ts';
import type { Place } from '../domain/place.ts';
import type { Rule } from '../domain/rule.ts';
import type { TableNames } from '../domain/table-names.ts';

/**
 * Where this root places its copies.
 * @throws Unprojectable where the root does not say, or where no item could stand there
 */
export function placeOf(table: TableNames, rule: Rule, root: Item): Place {
  const { located } = rule;
  const key = keyOf(table, root);
  return guarded(rule, key, () => {
    const place = locate(table, rule, located, root, key);
    const legal =
      place.in === 'key'
        ? isLegalKey(place)
        : isLegalKeyPart(place.pk, longestPk) && Buffer.byteLength(place.begins ?? '') <= longestSk;
    if (legal) return place;
    throw new Unprojectable(
      'root.unplaceable',
      `Rule ${rule.name} places copies at a key that DynamoDB does not take: empty, or over ${longestPk} and ${longestSk} bytes`,
      { rule: rule.name, ...(key && { key }) },
    );
  });
}

function locate(
  table: TableNames,
  rule: Rule,
  located: Rule['located'],
  root: Item,
  key: ItemKey | undefined,
): Place {
  if (located.in === 'itself') return { in: 'key', ...(key ?? { pk: '', sk: '' }) };
  const view = viewOf(table, rule.root, root, { rule: rule.name, role: 'root', reads: rule.reads.root });
  if (located.in === 'key') return { in: 'key', ...located.at(view) };
  if (located.in === 'partition') return { in: 'partition', ...located.at(view) };
  return { in: 'index', index: located.index.name, ...located.at(view) };
}

/** The key of the root that a copy names, or undefined where it names none that could exist. */
export function rootOf(table: TableNames, rule: Rule, copy: Item): ItemKey | undefined {
  const key = keyOf(table, copy);
  if (rule.located.in === 'itself') return key;
  try {
    const root = guarded(rule, key, () =>
      rule.rootOf(viewOf(table, rule.copy, copy, { rule: rule.name, role: 'copy', reads: rule.reads.copy })),
    );
    return root !== undefined && isLegalKey(root) ? root : undefined;
  } catch (error) {
    if (error instanceof Unprojectable) return undefined;
    throw error;
  }
}

/**
 * The attributes that the rule derives for this copy.
 * @throws Unprojectable where root or copy lacks what a derivation reads, or where a derivation throws
 */
export function deriveAll(
  table: TableNames,
  rule: Rule,
  root: Item,
  copy: Item,
): Map<string, Derived | undefined> {
  const from = {
    root: viewOf(table, rule.root, root, { rule: rule.name, role: 'root', reads: rule.reads.root }),
    copy: viewOf(table, rule.copy, copy, { rule: rule.name, role: 'copy', reads: rule.reads.copy }),
  };
  return guarded(
    rule,
    keyOf(table, root),
    () => new Map(Object.entries(rule.derive).map(([name, derive]) => [name, derive(from)])),
  );
}

/** A rule's function that throws makes its root unprojectable; what it threw may hold content and is not passed on. */
function guarded<T>(rule: Rule, key: ItemKey | undefined, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof Unprojectable) throw error;
    const place = { rule: rule.name, ...(key && { key }) };
    if (error instanceof DenormError) throw new Unprojectable(error.code, error.message, place);
    throw new Unprojectable(
      'rule.threw',
      `Rule ${rule.name} threw ${error instanceof Error ? error.name : 'a value that is no Error'} on this item: let its schema refuse what it cannot use`,
      place,
    );
  }
}
