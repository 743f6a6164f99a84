import type * as z from 'zod';
import { isObject } from '../model/basics/type-of.ts';
import { type AnyKind, isKind, patternText, type View } from '../model/kinds/kind.ts';
import { patternOf } from '../model/kinds/placeholders.ts';
import type { Aggregate } from '../model/rules/aggregate.ts';
import { type ArchiveRule, archiveFields } from '../model/rules/archive-rule.ts';
import { aggregateFields } from '../model/rules/define-aggregate.ts';
import { ruleFields } from '../model/rules/define-rule.ts';
import type { AnyReducer } from '../model/rules/reducers.ts';
import type { Registry } from '../model/rules/registry.ts';
import type { Rule } from '../model/rules/rule.ts';
import { sourceName } from '../model/rules/rule-attributes.ts';

/**
 * A rule, an aggregate or an archive rule, as `denorm rules` prints it and compares it with that of another version. A function
 * is shown as the pattern of what it returns; without a pattern, as its source.
 */
export interface Description {
  readonly rule: string;
  readonly type: 'rule' | 'aggregate' | 'archive';
  /** What each field of the definition holds, an entry a line. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

export function describeAll({ rules, aggregates, archives }: Registry): readonly Description[] {
  return [...rules, ...aggregates, ...archives].map(describe);
}

export function describe(definition: Rule | Aggregate | ArchiveRule): Description {
  const written = writtenIn(definition);
  const lists = definition.is === 'rule' ? textLists(definition.root) : undefined;
  const fields = Object.entries({ ...definition, ...written })
    .filter(([field]) => Object.hasOwn(written, field))
    .map(([field]) => [field, entriesOf(written[field], { lists, isDerived: field === 'derive' })] as const);
  return {
    rule: definition.name,
    type: definition.is,
    fields: Object.fromEntries(fields.filter(([, entries]) => entries.length > 0)),
  };
}

/** What its author may write beside the name, without what has no effect. */
function writtenIn(definition: Rule | Aggregate | ArchiveRule): Readonly<Record<string, unknown>> {
  switch (definition.is) {
    case 'rule': {
      const unknown = definition.copies === 'all' ? [] : ['unknown'];
      const fields = { ...definition, copies: copiedTexts(definition), ...treeFields(definition) };
      return picked(fields, ruleFields, [...unknown, ...withoutEffect(definition)]);
    }
    case 'aggregate': {
      const { ledger } = definition;
      if (ledger === undefined) return picked(definition, aggregateFields, []);
      return picked({ ...definition, ledger: { shards: ledger.shards } }, aggregateFields, [
        'limit',
        'members',
      ]);
    }
    case 'archive':
      return picked(definition, archiveFields, []);
  }
}

function picked(definition: object, fields: object, hidden: readonly string[]) {
  const isShown = (field: string) =>
    Object.hasOwn(fields, field) && field !== 'name' && !hidden.includes(field);
  return Object.fromEntries(Object.entries(definition).filter(([field]) => isShown(field)));
}

/** The list of a tree as its author wrote it. */
function treeFields({ tree, derive, reads }: Rule) {
  if (tree === undefined) return {};
  const without = (names: readonly string[]) => names.filter((name) => name !== tree.attribute);
  return {
    ancestors: { [tree.attribute]: tree.id },
    derive: Object.fromEntries(Object.entries(derive).filter(([name]) => name !== tree.attribute)),
    reads: { ...reads, root: without(reads.root) },
  };
}

/** What is copied, with the root's name where it has another. */
function copiedTexts(rule: Rule): readonly string[] | 'all' {
  if (rule.copies === 'all') return 'all';
  return rule.copies.map((name) => {
    const source = sourceName(rule, name);
    return source === name ? name : `${source} as ${name}`;
  });
}

/** Fields that say nothing of a rule whose root is its own copy. */
function withoutEffect({ located, when }: Rule): readonly string[] {
  if (located.in !== 'itself') return [];
  return ['copy', 'rootOf', 'onExpire', 'onUnlink', ...(when === undefined ? ['onDelete'] : [])];
}

export function describeKind(kind: AnyKind): string {
  return `${kind.name} (${patternText(kind)})`;
}

export function describeLocation(
  located: Rule['located'] | Aggregate['members'][number],
  lists?: ReadonlySet<string>,
): string {
  if (located.in === 'itself') return 'the root itself';
  const where = located.in === 'index' ? located.index.name : `the ${located.in}`;
  return `${endText(located)}in ${where} at ${functionText(located.at, { lists })}`;
}

/** `the last 3 ` of the members in a location. */
function endText(located: Rule['located'] | Aggregate['members'][number]): string {
  if ('last' in located && located.last !== undefined) return `the last ${located.last} `;
  return 'first' in located && located.first !== undefined ? `the first ${located.first} ` : '';
}

interface Reading {
  readonly lists?: ReadonlySet<string> | undefined;
  readonly isDerived?: boolean;
}

function entriesOf(value: unknown, reading: Reading): readonly string[] {
  if (value === undefined || value === false) return [];
  if (Array.isArray(value)) return value.map((one) => textOf(one, reading));
  if (!isObject(value) || isKind(value) || isLocation(value)) return [textOf(value, reading)];
  return Object.entries(value)
    .map(([name, member]) => [name, textOf(member, reading)])
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name}: ${text}`);
}

function textOf(value: unknown, reading: Reading): string {
  if (typeof value === 'function') return functionText(value as Tried, reading);
  if (Array.isArray(value)) return value.map((one) => textOf(one, reading)).join(', ');
  if (!isObject(value)) return String(value ?? '');
  if (isKind(value))
    return value.type === undefined ? describeKind(value) : `${describeKind(value)}, type ${value.type}`;
  if (isLocation(value)) return describeLocation(value, reading.lists);
  if (isReducer(value)) return reducerText(value, reading);
  // Of an index, its name says which one it is.
  if ('name' in value) return String(value['name']);
  return entriesOf(value, reading).join('; ');
}

function reducerText(reducer: AnyReducer, reading: Reading): string {
  const name = textOf(reducer.add, reading);
  if ('from' in reducer) return `${name} of ${textOf(reducer.from, reading)}`;
  if (!('of' in reducer)) return name;
  return `${name} of ${textOf(reducer.of, reading)}${optionsText(reducer)}`;
}

/** What else the author gave, so that `denorm rules --diff` sees that it changed. */
function optionsText(reducer: Extract<AnyReducer, { readonly of: unknown }>): string {
  switch (reducer.add) {
    case 'average':
      return `, ${reducer.digits} decimals`;
    case 'sum':
    case 'min':
    case 'max':
    case 'value':
    case 'list':
      return '';
  }
}

type Tried = (...given: never[]) => unknown;

/** The pattern that a function has or returns, or its source, on one line. */
function functionText(tried: Tried, { lists, isDerived }: Reading): string {
  if ('pattern' in tried) return String(tried.pattern);
  const call = tried as (given: unknown) => unknown;
  const returned = (view: View<Record<string, unknown>, string>) =>
    returnedText(call(isDerived ? { root: view, copy: view } : view));
  return patternOf(returned, lists) ?? String(tried).replaceAll(/\s+/g, ' ');
}

/** Text, a key, a key range or a list of keys as text; undefined for another value. */
function returnedText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(returnedText).join(', ');
  if (!isObject(value) || !('pk' in value)) return undefined;
  const { pk, sk = [], begins, from, to } = value;
  const words = [from !== undefined && `from ${from}`, to !== undefined && `to ${to}`].filter(Boolean);
  const limits = words.length === 0 ? [] : [words.join(' ')];
  const texts = [...[pk, sk].flat(), ...(begins === undefined ? [] : [`${begins}…`]), ...limits];
  return texts.filter((text) => text !== '').join(' / ');
}

function textLists({ attributes }: AnyKind): ReadonlySet<string> {
  const lists = Object.entries(attributes.shape).filter(([, schema]) =>
    isListOfText(schema as z.core.$ZodTypes),
  );
  return new Set(lists.map(([name]) => name));
}

function isListOfText({ _zod: { def } }: z.core.$ZodTypes): boolean {
  return def.type === 'array' && def.element._zod.def.type === 'string';
}

function isLocation(value: object): value is Rule['located'] {
  return 'in' in value && ('at' in value || value.in === 'itself');
}

function isReducer(value: object): value is AnyReducer {
  return 'add' in value;
}
