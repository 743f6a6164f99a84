import { RuleError } from '../basics/errors.ts';
import { didYouMean } from '../basics/nearest.ts';
import { type Derived, wholeNumber } from '../items/attribute-value.ts';
import { type IndexNames, type KeyPart, keyParts, type TableNames } from '../items/table-names.ts';
import { filled, type IndexKeyPattern, type IndexKeys } from '../kinds/key-pattern.ts';
import { type AnyKind, idNames, type View } from '../kinds/kind.ts';
import type { BoundRule } from './bound-rule.ts';
import type { Rule } from './rule.ts';
import { writesNothing } from './rule-attributes.ts';

/** The name of the rule that writes a kind's index keys: of `UserOrder` it is `user-order-keys`. */
function nameOfKeys({ name }: AnyKind): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1-$2').match(/[A-Za-z\d]+/g) ?? [];
  const begin = /^[a-z]/i.test(words[0] ?? '') ? [] : ['kind'];
  return [...begin, ...words, 'keys'].join('-').toLowerCase();
}

/**
 * The rule that writes the index keys which a kind declares: it derives them from the item itself.
 * @throws RuleError `rule.no-index` for an index that the table does not have, `rule.twice` if two kinds have one such name
 */
export function rulesOfKeys(table: TableNames, kinds: Iterable<AnyKind>): Rule[] {
  const keyed = [...kinds].filter(({ keys }) => Object.keys(keys).length > 0);
  const byName = new Map<string, AnyKind>();
  for (const kind of keyed) {
    const rule = nameOfKeys(kind);
    const other = byName.get(rule);
    if (other !== undefined)
      throw new RuleError(
        'rule.twice',
        `Kinds ${other.name} and ${kind.name} both have their keys written by a rule ${rule}: give one of the two kinds another name`,
        { rule },
      );
    byName.set(rule, kind);
  }
  return keyed.map((kind) => ruleOfKeys(table, kind)).filter((rule) => !writesNothing(rule));
}

function ruleOfKeys(table: TableNames, kind: AnyKind): Rule {
  const name = nameOfKeys(kind);
  const ids = idNames(kind);
  const declared = Object.entries(kind.keys);
  const named = declared.flatMap(([, { pk, sk }]) => [...pk, ...sk].flatMap(({ names }) => names));
  const attributes = [...new Set(named.filter((one) => !ids.includes(one)))];
  return {
    is: 'rule',
    name,
    root: kind,
    copy: kind,
    reads: { root: attributes, copy: attributes },
    located: { in: 'itself' },
    when: undefined,
    rootOf: () => undefined,
    creates: false,
    copies: [],
    renamed: {},
    derive: Object.fromEntries(
      declared.flatMap(([index, keys]) =>
        derivationsOf(table, indexCalled(table, kind, name, index), kind, keys),
      ),
    ),
    own: [],
    unknown: 'keep',
    tenant: undefined,
    onDelete: 'keep',
    onExpire: 'keep',
    onUnlink: 'keep',
  };
}

function derivationsOf(
  table: TableNames,
  index: IndexNames,
  kind: AnyKind,
  keys: IndexKeys,
): [string, Rule['derive'][string]][] {
  const ids = idNames(kind);
  const parts = keyParts(index);
  const declared = [
    ...declaredParts(index, kind, parts.pk, keys.pk),
    ...declaredParts(index, kind, parts.sk, keys.sk),
  ];
  const attributes = declared.flatMap(({ pattern }) => pattern.names).filter((name) => !ids.includes(name));
  const given = (root: ErasedView) => (name: string) => (ids.includes(name) ? root.ids[name] : root[name]);
  return declared.filter(isWritten(table, index, kind)).map((own) => {
    /** All keys or none: DynamoDB leaves an item with some of them out of the index. None if it lacks a name. */
    const derive = ({ root }: { readonly root: ErasedView }): Derived | undefined => {
      if (!attributes.every((name) => name in root)) return undefined;
      const values = declared.map((one) => declaredValue(one, given(root)));
      return values.includes(undefined) ? undefined : values[declared.indexOf(own)];
    };
    return [own.part.name, Object.assign(derive, { pattern: own.pattern.pattern })];
  });
}

/** What the kind declares for the indexes that have this attribute in their keys: an item with some of it is in none. */
export function declaredBeside(rule: BoundRule, attribute: string): readonly string[] {
  const beside = Object.values(rule.table.indexes).map((index) => keyParts(index).names);
  return beside
    .filter((names) => names.includes(attribute))
    .flat()
    .filter((name) => isDeclaredKey(rule, name));
}

/** Whether the rule writes the index keys that a kind declares. */
export function declaresKeys(rule: Rule): boolean {
  return Object.keys(rule.derive).some((name) => isDeclaredKey(rule, name));
}

/** Whether this attribute is a key that the kind declares. */
export function isDeclaredKey({ derive }: Pick<Rule, 'derive'>, attribute: string): boolean {
  const one = derive[attribute];
  return one !== undefined && 'pattern' in one;
}

interface Declared {
  readonly part: KeyPart;
  readonly pattern: IndexKeyPattern;
}

/**
 * Whether the worker writes this attribute. Not if an attribute is itself the index's key, nor a key of the table: the pattern
 * then only says what is there.
 */
function isWritten(table: TableNames, { name: index }: IndexNames, kind: AnyKind) {
  return ({ part: { name }, pattern: { pattern, names } }: Declared): boolean => {
    const ofTable = [kind.pkPattern, kind.skPattern][keyParts(table).names.indexOf(name)];
    if (ofTable === undefined && !names.includes(name)) return true;
    const own = ofTable === undefined ? `{${name}}` : filled(ofTable, (id) => `{${id}}`);
    if (pattern === own) return false;
    throw new RuleError(
      'rule.no-pattern',
      `Expected keys of kind ${kind.name} for ${index} to give ${name}, which the item has ${ofTable === undefined ? 'as an attribute' : 'as a key of the table'}, by '${own}', got '${pattern}'`,
    );
  };
}

/** A number is the value of one name: an id is text, and so is a whole number that JavaScript would round. */
function declaredValue({ part, pattern }: Declared, given: (name: string) => unknown): Derived | undefined {
  if (part.type === 'S') return pattern.write(given);
  const value = given(pattern.names[0] ?? '');
  if (typeof value === 'string') return wholeNumber(value) ?? value;
  return value === null ? undefined : (value as Derived | undefined);
}

/** The attributes of a partition key or a sort key, each with the pattern that the kind declares for it. */
function declaredParts(
  index: IndexNames,
  kind: AnyKind,
  parts: readonly KeyPart[],
  patterns: readonly IndexKeyPattern[],
): Declared[] {
  const refuse = (expected: string, got: string | number) =>
    new RuleError(
      'rule.no-pattern',
      `Expected keys of kind ${kind.name} for ${index.name} to ${expected}, got ${got}`,
      { rule: nameOfKeys(kind) },
    );
  if (parts.length !== patterns.length)
    throw refuse(
      `have a pattern for each of ${parts.map(({ name }) => name).join(', ') || 'no attribute'}`,
      patterns.length,
    );
  return patterns.flatMap((pattern, place) => {
    const part = parts[place];
    if (part?.type === 'N' && pattern.pattern !== `{${pattern.names[0]}}`)
      throw refuse(
        `give ${part.name}, a number, by one name such as '{${part.name}}'`,
        `'${pattern.pattern}'`,
      );
    return part === undefined ? [] : [{ part, pattern }];
  });
}

type ErasedView = View<Record<string, unknown>, string>;

function indexCalled(
  { indexes }: TableNames,
  { name: kind }: AnyKind,
  rule: string,
  name: string,
): IndexNames {
  const all = Object.values(indexes);
  const found = all.find((index) => index.name === name);
  if (found !== undefined) return found;
  throw new RuleError(
    'rule.no-index',
    `Expected keys of kind ${kind} to name indexes of the table, got '${name}': ${didYouMean(
      name,
      all.map((index) => index.name),
    )}`,
    { rule },
  );
}
