import { InvalidItemError, unlessInvalid } from '../model/basics/errors.ts';
import {
  type AttributeValue,
  base64,
  canonicalNumber,
  type Derived,
  equal,
  fromDerived,
} from '../model/items/attribute-value.ts';
import type { CopyLocation } from '../model/items/copy-location.ts';
import { isStorable } from '../model/items/decimal.ts';
import {
  attribute,
  type Item,
  type ItemKey,
  isLegalPart,
  keyAttributes,
  keyIn,
  partText,
} from '../model/items/item.ts';
import { indexParts } from '../model/items/table-names.ts';
import { accepted } from '../model/kinds/view.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import { declaredBeside, isDeclaredKey } from '../model/rules/index-keys.ts';
import { isCopiable, sourceName } from '../model/rules/rule-attributes.ts';
import { called } from './call.ts';
import { type Guard, guardOfCopy } from './guard.ts';
import { derivedKey, derivedValue } from './returns.ts';
import { appliesTo, copyView, locationOf, rootView } from './rule-functions.ts';

/** Undefined if the item should not have the attribute. */
export type Projection = ReadonlyMap<string, AttributeValue | undefined>;

export function differencesFrom(projection: Projection, item: Item): readonly string[] {
  return [...projection.keys()].filter((name) => !equal(attribute(item, name), projection.get(name)));
}

/** The most attributes that a root may have copied: each hundred costs every copy one more write. */
export const maxCopied = 500;

/** The most items above one in a tree. */
const maxDepth = 100;

/** A root, as the plans of its copies need it. What depends only on it and its rule is computed once a page. */
export class RootProjection {
  readonly rule: BoundRule;
  readonly role = 'copy';
  readonly root: Item;
  readonly key: ItemKey;
  /** The attributes that are copied from the root as they are, by their names on the copy. */
  readonly copiedNames: readonly string[];
  /** What is copied, and what was derived from the root alone. */
  private readonly shared: Map<string, AttributeValue | undefined>;
  private readonly derivedEach: Set<string>;
  /** Copied attributes that are parts of index keys. */
  private readonly copiedKeys: readonly string[];
  private readonly view: ReturnType<typeof rootView>;
  /** Why a key that the kind declares cannot be made: it is to be removed, and the item set aside. Known once projected. */
  fault: InvalidItemError | undefined;
  private isAccepted = false;
  private located: CopyLocation | undefined;
  private included: boolean | undefined;

  constructor(rule: BoundRule, root: Item) {
    this.rule = rule;
    this.root = root;
    this.key = keyIn(rule.table, root);
    const names =
      rule.copies === 'all' ? Object.keys(root).filter((name) => copiesAlso(rule, name)) : rule.copies;
    this.copiedNames = names;
    this.shared = new Map(names.map((name) => [name, attribute(root, sourceName(rule, name))]));
    this.copiedKeys = rule.copies === 'all' ? [] : names.filter((name) => indexParts(rule.table).has(name));
    this.derivedEach = new Set(Object.keys(rule.derive));
    this.view = rootView(rule, root);
  }

  guard(copy: Item, projected: Projection, changes: readonly string[]): Guard {
    return guardOfCopy(this.rule, copy, projected, changes);
  }

  /**
   * Computed when it is first asked for: a page without copies needs none.
   * @throws InvalidItemError
   */
  get location(): CopyLocation {
    this.located ??= locationOf(this.rule, this.root);
    return this.located;
  }

  /** @throws InvalidItemError as {@link applies} and {@link location} do */
  requireLocation(): void {
    if (this.applies) void this.location;
  }

  /**
   * Computed as {@link location} is.
   * @throws InvalidItemError as {@link appliesTo} does
   */
  get applies(): boolean {
    this.included ??= appliesTo(this.rule, this.root, this.view);
    return this.included;
  }

  /** @throws InvalidItemError if root or copy lacks what the rule needs */
  on(copy: Item): Projection {
    if (!this.applies) return ofExcluded(this.rule);
    const found = this.copiedNames.length;
    if (found > maxCopied) throw tooManyAttributes('root', this.rule, this.key, found);
    this.requireCopied();
    // A copy that the rule creates must be the same whether it was there before or not.
    for (const name of this.copiedKeys) {
      const value = this.shared.get(name);
      if (value !== undefined) this.refuseIllegal(copy, name, value);
    }
    const ofCopy = this.derivedFor(
      this.rule.creates ? bareCopy(this.rule, keyIn(this.rule.table, copy)) : copy,
    );
    for (const name of this.lostBy(copy)) ofCopy.set(name, undefined);
    this.refuseCircle(copy);
    return ofCopy.size === 0 ? this.shared : new Map([...this.shared, ...ofCopy]);
  }

  /** An item that is above itself would be written without end: it stays as it is, until an application moves one of its circle. */
  private refuseCircle(copy: Item): void {
    const { rule } = this;
    if (rule.tree === undefined) return;
    const { attribute: listed, id } = rule.tree;
    const key = keyIn(rule.table, copy);
    const list = this.shared.get(listed);
    const above = list !== undefined && 'L' in list ? list.L.map((one) => Object.values(one)[0]) : [];
    const isCircular = above.includes(rule.copy.idsOf(key)?.[id]);
    if (!isCircular && above.length <= maxDepth) return;
    const why = isCircular
      ? `Expected an item not to be among those above it, by ${rule.tree.attribute} of rule ${rule.name}: let one of the circle name another item above it`
      : `Expected at most ${maxDepth} items above one, by ${rule.tree.attribute} of rule ${rule.name}, found ${above.length}: move it up`;
    throw new InvalidItemError('copy', isCircular ? 'tree.circular' : 'tree.too-deep', why, {
      rule: rule.name,
      key,
    });
  }

  /** What is copied by name is a promise of the root's schema, so that a root which lost it does not take it from its copies. */
  private requireCopied(): void {
    const { rule, root: item, key } = this;
    const { shape } = rule.root.attributes;
    if (rule.copies === 'all' || this.isAccepted) return;
    for (const name of rule.copies.map((one) => sourceName(rule, one))) {
      const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (schema !== undefined)
        accepted({ kind: rule.root, reader: { rule: rule.name, role: 'root' }, name, schema, item, key });
    }
    this.isAccepted = true;
  }

  private derivedFor(copy: Item): Map<string, AttributeValue | undefined> {
    const ofCopy = new Map<string, AttributeValue | undefined>();
    const unmade = new Set<string>();
    for (const name of this.derivedEach) {
      const { value, ofRootAlone } = unlessInvalid(
        () => this.legal(name, copy),
        (error) => {
          if (!isDeclaredKey(this.rule, name)) throw error;
          this.fault ??= error;
          for (const other of declaredBeside(this.rule, name)) unmade.add(other);
          return { value: undefined, ofRootAlone: true };
        },
      );
      if (ofRootAlone) {
        this.shared.set(name, value);
        this.derivedEach.delete(name);
      } else ofCopy.set(name, value);
    }
    for (const name of unmade) this.shared.set(name, undefined);
    return ofCopy;
  }

  private legal(name: string, copy: Item) {
    const { value: returned, ofRootAlone } = this.derive(name, copy);
    const value = returned === undefined ? undefined : fromDerived(returned);
    if (value !== undefined) this.refuseIllegal(copy, name, value);
    return { value, ofRootAlone };
  }

  /**
   * Without the copy, the same for every copy of this root.
   * @throws InvalidItemError if root or copy lacks what it reads
   */
  derive(name: string, copy: Item): { readonly value: Derived | undefined; readonly ofRootAlone: boolean } {
    const { rule, view } = this;
    let ofRootAlone = true;
    const from = {
      root: view,
      /** Made only for a derivation that asks for it. */
      get copy() {
        ofRootAlone = false;
        return copyView(rule, copy);
      },
    };
    const call = { rule, does: `derive.${name}`, item: this.atFault(copy) };
    const expected = indexParts(rule.table).has(name) ? derivedKey : derivedValue;
    const value = called(call, () => rule.derive[name]?.(from), expected);
    return { value, ofRootAlone };
  }

  /** The root only if the rule reads nothing of the copy. */
  private atFault(copy: Item): { readonly concerns: 'root' | 'copy'; readonly key: ItemKey } {
    const { located, reads } = this.rule;
    if (located.in === 'itself' || reads.copy.length === 0) return { concerns: 'root', key: this.key };
    return { concerns: 'copy', key: keyIn(this.rule.table, copy) };
  }

  /** What the copy loses because the root does not have it. */
  private lostBy(copy: Item): readonly string[] {
    const { rule, shared } = this;
    if (rule.copies !== 'all' || rule.unknown !== 'remove') return [];
    return Object.keys(copy).filter((name) => !shared.has(name) && copiesAlso(rule, name));
  }

  private refuseIllegal(copy: Item, name: string, value: AttributeValue): void {
    const { rule } = this;
    const part = indexParts(rule.table).get(name);
    const text = part && partText(part, value);
    if (part === undefined ? holdsStorable(value) : text !== undefined && isLegalPart(part, text)) return;
    const isDerived = Object.hasOwn(rule.derive, name);
    const { concerns, key } = isDerived ? this.atFault(copy) : ({ concerns: 'root', key: this.key } as const);
    const accepted =
      part?.type === 'S'
        ? `text of 1 to ${part.longest} bytes, as an index key must be`
        : part === undefined
          ? 'finite numbers of at most 38 digits, each once in a set'
          : 'a number of at most 38 digits, as this index key must be';
    const got = 'N' in value ? `, got ${Number.isFinite(Number(value.N)) ? 'a number' : value.N}` : '';
    const why = `Rule ${rule.name} ${isDerived ? 'derives' : 'copies'} a value of '${name}' that DynamoDB rejects: expected ${accepted}${got}`;
    throw new InvalidItemError(concerns, `${concerns}.invalid`, why, { rule: rule.name, key });
  }
}

/** Whether a rule that copies all attributes copies this one, and does not derive it. */
function copiesAlso(rule: BoundRule, name: string): boolean {
  return isCopiable(rule, name) && !Object.hasOwn(rule.derive, name);
}

/** Whether DynamoDB stores all numbers in this value, and no set has an equal one twice. */
export function holdsStorable(value: AttributeValue): boolean {
  if ('N' in value) return isStorable(value.N);
  if ('NS' in value)
    return value.NS.every(isStorable) && new Set(value.NS.map(canonicalNumber)).size === value.NS.length;
  if ('BS' in value) return new Set(value.BS.map(base64)).size === value.BS.length;
  if ('L' in value) return value.L.every(holdsStorable);
  return !('M' in value) || Object.values(value.M).every(holdsStorable);
}

/** The error of a root with more attributes than are copied, or of a copy that must lose more. */
export function tooManyAttributes(
  concerns: 'root' | 'copy' | 'target',
  { name }: Pick<BoundRule, 'name'>,
  key: ItemKey,
  found: number,
) {
  const why = `Rule ${name} copies all attributes, and this ${concerns} has ${found} of them: expected at most ${maxCopied}, so move them into a map`;
  return new InvalidItemError(concerns, `${concerns}.too-many-attributes`, why, { rule: name, key });
}

/** Of an item that is its own copy, if the rule does not apply to it. Other copies of such a root are removed instead. */
function ofExcluded({ onDelete, derive }: BoundRule): Projection {
  // No rule may delete the roots themselves.
  const cleared = { clear: Object.keys(derive), delete: [], keep: [] }[onDelete];
  return new Map(cleared.map((name) => [name, undefined]));
}

/** A copy with its key and its type attribute only. */
export function bareCopy({ table, copy }: BoundRule, key: ItemKey): Item {
  return {
    ...keyAttributes(table, key),
    ...(copy.type !== undefined && { [table.type]: { S: copy.type } }),
  };
}

/** @throws InvalidItemError if root or copy lacks what the rule needs */
export function project(rule: BoundRule, root: Item, copy: Item): Projection {
  return new RootProjection(rule, root).on(copy);
}
