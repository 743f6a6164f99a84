import { explained, list, optional, type Requirement, requirement } from '../model/basics/requirement.ts';
import { isObject, typeOf } from '../model/basics/type-of.ts';
import { indexNamed } from '../model/items/copy-location.ts';
import { fitsPart } from '../model/items/given-keys.ts';
import { type KeyNames, type KeyPart, keyParts, type TableNames } from '../model/items/table-names.ts';
import { maxTargets } from '../model/rules/aggregate.ts';

export const finite = requirement('a finite number', Number.isFinite);
export const finiteOrText = requirement(
  'text or a finite number',
  (value) => isText(value) || Number.isFinite(value),
);

/** What a member may contribute where a function adds contributions. */
export const contributed = explained('text, a finite number, a list or an object', (value) =>
  Array.isArray(value) || isPlainObject(value) ? unstorableIn(value, 1) : finiteOrText.misfit(value)?.found,
);

/** What a function of `derive` may return for an index key. */
export const derivedKey = requirement(
  'text, a number or undefined',
  (value) => value === undefined || isText(value) || typeof value === 'number' || typeof value === 'bigint',
);

/** What a function of `derive` may return for another attribute. */
export const derivedValue = explained(
  'undefined, or a value that DynamoDB stores: text, a number, a boolean, null, bytes, a list, an object or a set',
  (value) => (value === undefined ? undefined : unstorableIn(value, 1)),
);

/** Levels of lists and maps. Source: AWS, "Quotas", nested attributes. */
const maxDepth = 32;

/** What a value has that DynamoDB does not store; undefined if it can store the value. A number is checked where it is written. */
function unstorableIn(value: unknown, depth: number): string | undefined {
  if (isText(value) || value === null || ['number', 'bigint', 'boolean'].includes(typeof value))
    return undefined;
  if (value instanceof Uint8Array) return undefined;
  if (value instanceof Set) return unstorableSet([...value]);
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) {
    const type = typeOf(value);
    return type === 'an object' ? 'an object of a class' : type;
  }
  if (depth > maxDepth) return `one of more than ${maxDepth} levels`;
  const members = isList ? Array.from(value) : Object.values(value).filter((one) => one !== undefined);
  if (!isList && !Object.keys(value).every(isText)) return 'an object with a name that is no text';
  const odd = members.map((one) => unstorableIn(one, depth + 1)).find((one) => one !== undefined);
  return odd && (depth === 1 ? `one with ${odd}` : odd);
}

function unstorableSet(members: readonly unknown[]): string | undefined {
  if (members.length === 0) return 'an empty set';
  const isNumber = (one: unknown) => typeof one === 'number' || typeof one === 'bigint';
  const isOfOneType = [isText, isNumber, isBytes].some((is) => members.every(is));
  return isOfOneType ? undefined : 'a set that is not of text, of numbers or of bytes';
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

function isPlainObject(value: unknown): value is object {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Made once for a table or an index: each item asks for it. */
function ofEach(make: (keys: KeyNames) => Requirement): (keys: KeyNames) => Requirement {
  const made = new WeakMap<KeyNames, Requirement>();
  return (keys) => {
    const requirement = made.get(keys) ?? make(keys);
    made.set(keys, requirement);
    return requirement;
  };
}

/** What `located.at` may return for one key, or for each of several. */
export const aKey = ofEach((table) => {
  const { all } = keyParts(table);
  const names = ['pk', 'sk'] as const;
  const words = all.every(isTextPart)
    ? `{ ${names.slice(0, all.length).join(', ')} }, all text`
    : `{ ${all.map((part, index) => `${names[index]}: ${partWords(part)}`).join(', ')} }`;
  return explained(words, (value) => {
    if (!isObject(value)) return typeOf(value);
    // What a kind makes has an empty sort key in a table without.
    const odd = names.find((name, index) => {
      const isLeftOut = all[index] === undefined && (value[name] === undefined || value[name] === '');
      return !isLeftOut && !fitsPart(all[index], value[name]);
    });
    return odd && `an object whose ${odd} is ${typeOf(value[odd])}`;
  });
});

export function keys(table: KeyNames): Requirement {
  const each = aKey(table);
  return list(`a list of ${each.words}`, each);
}

export function targetKeys(table: KeyNames): Requirement {
  const each = aKey(table);
  return list(`a list of at most ${maxTargets} keys, each ${each.words}`, each, { most: maxTargets });
}

/** What `rootOf` may return. */
export const aRootKey = ofEach((table) => optional(aKey(table)));

/** What `located.at` may return for a partition or an index. */
export const aRange = ofEach((names) => {
  const { pk, sk } = keyParts(names);
  return explained(rangeWords(pk, sk), (value) => {
    if (!isObject(value)) return typeOf(value);
    const { begins, from, to } = value;
    // As any other field, it says nothing of a sort key of one attribute.
    const [ofPk, ofSk] = [[value['pk']].flat(), (sk.length > 1 ? value['sk'] : undefined) ?? []];
    if (ofPk.length !== pk.length || !ofPk.every((one, index) => fitsPart(pk[index], one)))
      return `an object whose pk is ${typeOf(value['pk'])}`;
    if (!Array.isArray(ofSk) || !ofSk.every((one, index) => fitsPart(sk[index], one)))
      return `an object whose sk is ${Array.isArray(ofSk) ? 'another list' : typeOf(ofSk)}`;
    const next = sk[ofSk.length];
    if (begins !== undefined && !(isTextPart(next) && isText(begins)))
      return `an object whose begins is ${typeOf(begins)}`;
    if (begins !== undefined && (from !== undefined || to !== undefined))
      return 'an object with begins and another limit';
    const odd = (['from', 'to'] as const).find(
      (name) => value[name] !== undefined && !fitsPart(next, value[name]),
    );
    return odd && `an object whose ${odd} is ${typeOf(value[odd])}`;
  });
});

function rangeWords(pk: readonly KeyPart[], sk: readonly KeyPart[]): string {
  const all = [...pk, ...sk];
  if (all.every(isTextPart) && pk.length === 1 && sk.length === 1)
    return '{ pk, begins? } or { pk, from?, to? }, all text';
  const listed = (parts: readonly KeyPart[]) => `[${parts.map(partWords).join(', ')}]`;
  return `{ pk: ${pk[0] !== undefined && pk.length === 1 ? partWords(pk[0]) : listed(pk)}${sk.length > 1 ? `, sk?: the first of ${listed(sk)}` : ''}${sk.some(isTextPart) ? ', begins?' : ''}${sk.length > 0 ? ', from?, to?' : ''} }`;
}

/** What `found.until` of aging may return. */
export function ofPart(part: KeyPart | undefined): Requirement {
  return requirement(part === undefined ? 'nothing' : partWords(part), (value) => fitsPart(part, value));
}

function isTextPart(part: KeyPart | undefined): boolean {
  return part?.type === 'S';
}

function partWords({ type }: KeyPart): string {
  return type === 'S' ? 'text' : 'a number';
}

/** What `with[].at` of aging may return. */
export function locationIn(table: TableNames): Requirement {
  const ofTable = { key: aKey(table), partition: aRange(table) };
  const words = `${ofTable.key.words} with in: 'key', ${ofTable.partition.words} with in: 'partition', or a range with in: 'index' and the index's name`;
  return explained(words, (value) => {
    if (!isObject(value)) return typeOf(value);
    const { in: where, index } = value;
    if (where === 'key' || where === 'partition') return ofTable[where].misfit(value)?.found;
    if (where !== 'index') return 'an object with another in';
    const named = typeof index === 'string' ? indexNamed(table, index) : undefined;
    return named === undefined ? 'an index that the table does not have' : aRange(named).misfit(value)?.found;
  });
}

/** Text cut within an emoji is no UTF-8: a server refuses the whole request, or stores something else. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}
