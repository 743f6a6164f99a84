import { DenormError, unlessInvalid } from '../model/basics/errors.ts';
import { withArticle } from '../model/basics/text.ts';
import { isInLocation } from '../model/items/copy-location.ts';
import { type Item, keyAsJson, keyOf, keyWords } from '../model/items/item.ts';
import { keyParts, type TableNames } from '../model/items/table-names.ts';
import { type BoundKind, isOfKind } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import type { Registry } from '../model/rules/registry.ts';
import type { RemovalPolicy } from '../model/rules/rule.ts';
import { writesNothing } from '../model/rules/rule-attributes.ts';
import { withProjection } from '../plan/plan-writes.ts';
import { project } from '../plan/projection.ts';
import { isIncluded, locationOf, rootNamedBy } from '../plan/rule-functions.ts';
import { differences, keyJson } from './conformance.ts';
import { itemOf, type PlainAttributes, shown } from './plain-values.ts';

/** What a rule is tested with: items as applications write them, and what becomes of them. */
export interface RuleExample {
  readonly root: PlainAttributes;
  /** Copies of that root that say what it says. None for a rule that is located in 'itself'. */
  readonly copies?: readonly PlainAttributes[];
  /** Attributes of the root that change, in a way that concerns the rule; an undefined one is removed. `{}` if the rule only removes copies. */
  readonly change: PlainAttributes;
  /**
   * What copies have after the change: attributes that all of them have, or for each copy, in their order. Default: what
   * `copies` and `derive` of the rule say, which cannot find a mistake in them.
   */
  readonly expected?: PlainAttributes | readonly PlainAttributes[];
  /** A change of the root that does not concern the rule. Default: of an attribute that no rule knows, or of the expiry. */
  readonly unconcerned?: PlainAttributes;
  /** Items in the same places that are not copies of this root, and that the rule must not touch. Default: none. */
  readonly others?: readonly PlainAttributes[];
  /** A change after which the root cannot be projected. Default: none. */
  readonly invalid?: PlainAttributes;
  /** A change after which `when` is false for the root. Required if the rule has one. */
  readonly excluded?: PlainAttributes;
  /** What must become of the copies when their root is deleted. Default: what the rule says. */
  readonly onDelete?: RemovalPolicy;
  /** The same when it expires. */
  readonly onExpire?: RemovalPolicy;
  /** Values of the config's parameters. Default: those of their schemas. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface Example {
  readonly rule: BoundRule;
  readonly registry: Registry;
  readonly root: Item;
  /** Empty for a rule that is located in 'itself'. */
  readonly copies: readonly Item[];
  readonly changed: Item;
  /** The copies, or the root itself, after the change. */
  readonly followed: readonly Item[];
  readonly unconcerned: Item;
  readonly others: readonly Item[];
  readonly invalid: Item | undefined;
  /** Undefined if the rule has no `when`. */
  readonly excluded: Item | undefined;
  readonly onDelete: RemovalPolicy;
  readonly onExpire: RemovalPolicy;
}

/** @throws DenormError `example.*` if the example does not fit the rule: says what it lacks */
export function readExample(registry: Registry, rule: BoundRule, given: RuleExample): Example {
  const { table } = registry;
  const root = itemOf(given.root);
  const itself = rule.located.in === 'itself';
  const copies = (given.copies ?? []).map(itemOf);
  const changed = itemOf({ ...given.root, ...given.change });
  const of = (item: Item, kind: BoundRule['root'], name: string): void => {
    if (keyOf(table, item) === undefined)
      refuse('key', `Expected ${name} with ${keyWords(table)}, found one without`);
    const itsType = item[table.type] === undefined ? '' : ` and the ${table.type} ${shown(item[table.type])}`;
    if (!isOfKind(kind, item))
      refuse(
        'kind',
        `Expected ${name} to be ${withArticle(kind.name)} (${likePatterns(table, kind)}${kind.type === undefined ? '' : `, ${table.type} '${kind.type}'`}), found the key ${keyJson(table, item)}${itsType}`,
      );
  };
  of(root, rule.root, 'root');
  if (itself && copies.length > 0)
    refuse('copies', `Expected no copies, because ${rule.name} writes to the root itself: leave them out`);
  if (!itself && copies.length === 0)
    refuse(
      'copies',
      `Expected a copy of the root in copies, found none: add an item of kind ${rule.copy.name}`,
    );
  for (const [index, copy] of copies.entries()) {
    of(copy, rule.copy, `copies[${index}]`);
    requireFit(registry, rule, root, copy, `copies[${index}]`);
  }
  const before = itself ? [root] : copies;
  const after = itself ? [changed] : copies;
  for (const [index, item] of before.entries()) {
    const differing = differences(table, updated(rule, root, item), item);
    if (differing.length > 0)
      refuse(
        'stale',
        `Expected ${itself ? `root to have what ${rule.name} derives from it` : `copies[${index}] to say what its root says`} before the change, but ${differing.join('; ')}: correct the example, or the rule`,
      );
  }
  const excluded = excludedRoot(rule, given, { root, changed });
  const { expected } = given;
  const followed = after.map((item, index) => {
    if (expected === undefined) return updated(rule, changed, item);
    return replaced(item, (isList(expected) ? expected[index] : expected) ?? {});
  });
  const isIdle = followed.every((item, index) => differences(table, item, after[index] ?? {}).length === 0);
  if (isIdle && !writesNothing(rule))
    refuse(
      'idle',
      'Expected a change that changes copies, found one after which they stay as they are: change another attribute',
    );
  return {
    rule,
    registry,
    root,
    copies,
    changed,
    followed,
    excluded,
    unconcerned: itemOf({ ...given.root, ...(given.unconcerned ?? unknownAttribute(registry, rule)) }),
    others: (given.others ?? []).map(itemOf),
    invalid: given.invalid && itemOf({ ...given.root, ...given.invalid }),
    onDelete: given.onDelete ?? rule.onDelete,
    onExpire: given.onExpire ?? rule.onExpire,
  };
}

/** The root after a change for which `when` is false; it must be true before, and after `change`. */
function excludedRoot(
  rule: BoundRule,
  { root: plain, excluded }: RuleExample,
  included: Readonly<Record<'root' | 'changed', Item>>,
): Item | undefined {
  if (rule.when === undefined) {
    if (excluded === undefined) return undefined;
    return refuse('excluded', `Expected no excluded, because ${rule.name} has no when: leave it out`);
  }
  for (const [name, item] of Object.entries(included))
    if (!isIncluded(rule, item))
      refuse(
        'excluded',
        `Expected when to be true for ${name === 'root' ? 'root' : 'root after change'}, found false: correct the example, or when`,
      );
  if (excluded === undefined)
    return refuse('excluded', `Expected excluded, a change after which when is false for root: add it`);
  const item = itemOf({ ...plain, ...excluded });
  if (isIncluded(rule, item))
    refuse(
      'excluded',
      'Expected when to be false for root after excluded, found true: correct excluded, or when',
    );
  return item;
}

function requireFit({ table }: Registry, rule: BoundRule, root: Item, copy: Item, name: string): void {
  const key = unlessInvalid(
    () => rootNamedBy(rule, copy),
    () => undefined,
  );
  const own = keyOf(table, root);
  if (key === undefined)
    refuse(
      'root-of',
      `Expected rootOf to give the key of the root of ${name}, found none: give ${name} the attributes that rootOf reads (${rule.reads.copy.join(', ') || 'none'}), or correct rootOf`,
    );
  else if (key.pk !== own?.pk || key.sk !== own.sk)
    refuse(
      'root-of',
      `Expected rootOf to give the key of the root, ${keyJson(table, root)}, for ${name}, found ${keyAsJson(table, key)}: correct rootOf, or the example`,
    );
  if (!isIncluded(rule, root) || !isPlaced(rule, root, copy))
    refuse(
      'location',
      `Expected located.at to find ${name} (${keyJson(table, copy)}), but it looks elsewhere: correct located, or the keys of the example`,
    );
}

/** The copy as the rule makes it of this root, or as it is if the rule cannot. */
export function updated(rule: BoundRule, root: Item, copy: Item): Item {
  return unlessInvalid(
    () => withProjection(copy, project(rule, root, copy)),
    () => copy,
  );
}

function isPlaced(rule: BoundRule, root: Item, copy: Item): boolean {
  return unlessInvalid(
    () => isInLocation(rule.table, copy, locationOf(rule, root)),
    () => false,
  );
}

function replaced(item: Item, attributes: PlainAttributes): Item {
  const kept = Object.entries(item).filter(([name]) => !Object.hasOwn(attributes, name));
  return { ...Object.fromEntries(kept), ...itemOf(attributes) };
}

function isList(expected: NonNullable<RuleExample['expected']>): expected is readonly PlainAttributes[] {
  return Array.isArray(expected);
}

/** With `copies: 'all'`, every other attribute concerns the rule. */
function unknownAttribute({ table }: Registry, rule: BoundRule): PlainAttributes {
  return rule.copies === 'all' ? { [table.ttl]: 4_102_444_800 } : { unknownToEveryRule: 'changed' };
}

function refuse(code: string, message: string): never {
  throw new DenormError(`example.${code}`, message);
}

/** `PK like 'ORDER#{order}', SK like 'METADATA'` */
function likePatterns(table: TableNames, { pkPattern, skPattern }: BoundKind): string {
  const patterns = [pkPattern, skPattern];
  return keyParts(table)
    .names.map((name, index) => `${name} like '${patterns[index]?.pattern}'`)
    .join(', ');
}
