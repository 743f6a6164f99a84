import { type AttributeValue, fromDerived } from '../../model/attribute-value.ts';
import { type Item, type ItemKey, isLegalKey, keyIn, keyText } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { Rule } from '../../model/rule.ts';
import { indexKeyNames, type TableNames } from '../../model/table-names.ts';
import { viewOf } from '../../model/view.ts';
import type { Relation, Wanted } from './simulation/oracle/relation.ts';

/**
 * How copies follow roots by a rule: what the rule says, read apart from the code that plans writes, so that a fault of
 * that code shows as a difference.
 */
export function relationOf(table: TableNames, rule: Rule): Relation {
  const itself = rule.located.in === 'itself';
  const writes = writtenBy(table, rule);
  const located = rule.located.in === 'index' ? [rule.located.index.pk, rule.located.index.sk] : [];
  function crosses(root: ItemKey, copy: Item): boolean {
    const { tenant } = rule;
    if (tenant === undefined) return false;
    return rule.root.idsOf(root)?.[tenant] !== rule.copy.idsOf(keyIn(table, copy))?.[tenant];
  }
  function isExcluded(root: Item): boolean {
    return !itself && isOfKind(table, rule.root, root) && appliesTo(table, rule, root) === false;
  }
  return {
    rule: rule.name,
    onDelete: itself ? 'keep' : rule.onDelete,
    onExpire: itself ? 'keep' : rule.onExpire,
    isRoot: (_, image) => isOfKind(table, rule.root, image),
    isCopy: (item) => isOfKind(table, rule.copy, item),
    crosses,
    rootOf(copy) {
      const root = itself
        ? keyIn(table, copy)
        : attempt(() => rule.rootOf(viewOf(table, rule.copy, copy, reader(rule, 'copy'))));
      return root !== undefined && isLegalKey(root) ? root : undefined;
    },
    locations(root, copy) {
      if (!isOfKind(table, rule.root, root)) return false;
      if (!itself) {
        const applies = appliesTo(table, rule, root);
        if (applies !== true) return applies;
      }
      if (itself) return keyText(keyIn(table, root)) === keyText(keyIn(table, copy));
      return attempt(() => isLocated(table, rule, root, copy));
    },
    isExcluded,
    excludes: (root, copy) => isExcluded(root) && attempt(() => isLocated(table, rule, root, copy)) === true,
    ...(rule.creates && { placed: (root: Item) => attempt(() => placedBy(table, rule, root)) ?? [] }),
    wanted: (root, copy) =>
      crosses(keyIn(table, root), copy) ? undefined : attempt(() => projection(table, rule, root, copy)),
    writes,
    concerns: (name) => writes(name) || rule.reads.copy.includes(name) || located.includes(name),
  };
}

/** Whether the rule may write this attribute of a copy. */
export function writtenBy(table: TableNames, rule: Rule): (name: string) => boolean {
  const { copies, derive, own } = rule;
  if (copies !== 'all') return (name) => copies.includes(name) || Object.hasOwn(derive, name);
  const never = new Set([table.pk, table.sk, table.ttl, ...indexKeyNames(table), ...own]);
  if (rule.root.type !== undefined || rule.copy.type !== undefined) never.add(table.type);
  return (name) => Object.hasOwn(derive, name) || !never.has(name);
}

/** What `when` says of the root; undefined if the root does not hold what it needs. */
export function appliesTo(table: TableNames, { when, ...rule }: Rule, root: Item): boolean | undefined {
  return when === undefined
    ? true
    : attempt(() => when.root(viewOf(table, rule.root, root, reader({ when, ...rule }, 'root'))));
}

/** Where the rule creates the copies of this root. */
function placedBy(table: TableNames, rule: Rule, root: Item): readonly ItemKey[] {
  const { located } = rule;
  if (located.in !== 'key' && located.in !== 'keys') return [];
  if (!isOfKind(table, rule.root, root) || appliesTo(table, rule, root) !== true) return [];
  const view = viewOf(table, rule.root, root, reader(rule, 'root'));
  const keys = located.in === 'key' ? [located.at(view)] : located.at(view);
  const distinct = new Map(keys.map(({ pk, sk }) => [keyText({ pk, sk }), { pk, sk }]));
  return distinct.size > 100 || ![...distinct.values()].every(isLegalKey) ? [] : [...distinct.values()];
}

/** What each attribute that the rule writes is to be on this copy. */
function projection(table: TableNames, rule: Rule, root: Item, copy: Item): Wanted | undefined {
  const applies = appliesTo(table, rule, root);
  if (applies === undefined) return undefined;
  if (!applies && rule.located.in === 'itself')
    return new Map(
      Object.keys(rule.derive).map((name) => [name, rule.onDelete === 'clear' ? undefined : copy[name]]),
    );
  const writes = writtenBy(table, rule);
  const wanted = new Map<string, AttributeValue | undefined>();
  const copied = rule.copies === 'all' ? Object.keys(root).filter(writes) : rule.copies;
  for (const name of copied) wanted.set(name, root[name]);
  if (rule.unknown === 'remove')
    for (const name of Object.keys(copy)) if (writes(name) && !(name in root)) wanted.set(name, undefined);
  const from = {
    root: viewOf(table, rule.root, root, reader(rule, 'root')),
    copy: viewOf(table, rule.copy, rule.creates ? keyOnly(table, copy) : copy, reader(rule, 'copy')),
  };
  for (const [name, derive] of Object.entries(rule.derive)) {
    const value = derive(from);
    wanted.set(name, value === undefined ? undefined : fromDerived(value));
  }
  return wanted;
}

/** All that a derivation sees of a copy that the rule creates. */
function keyOnly({ pk, sk }: TableNames, copy: Item): Item {
  return Object.fromEntries(Object.entries(copy).filter(([name]) => name === pk || name === sk));
}

function isLocated(table: TableNames, rule: Rule, root: Item, copy: Item): boolean | undefined {
  const { located } = rule;
  if (located.in === 'itself') return true;
  const view = viewOf(table, rule.root, root, reader(rule, 'root'));
  const key = keyIn(table, copy);
  if (located.in === 'key') return keyText(located.at(view)) === keyText(key);
  if (located.in === 'keys') {
    const keys = new Set(located.at(view).map(keyText));
    // More than a root may have: it is dead-lettered, and nothing tells where its copies are.
    return keys.size > 100 ? undefined : keys.has(keyText(key));
  }
  const { pk, begins = '' } = located.at(view);
  if (located.in === 'partition') return key.pk === pk && key.sk.startsWith(begins);
  const [indexPk, indexSk] = [copy[located.index.pk], copy[located.index.sk]];
  if (indexPk === undefined || indexSk === undefined || !('S' in indexPk) || !('S' in indexSk)) return false;
  return indexPk.S === pk && indexSk.S.startsWith(begins);
}

/** Who reads, as a view is told. */
export function reader(rule: Rule, role: 'root' | 'copy') {
  return { rule: rule.name, role, reads: rule.reads[role] };
}

/** Undefined if the item does not hold what a function needs. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
