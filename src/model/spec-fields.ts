import { RuleError } from './errors.ts';
import { nearest } from './nearest.ts';
import { typeOf } from './type-of.ts';

/**
 * What a field of a spec must be. Compilers check this, but `denorm` and Lambda run a project's files without types: a
 * misspelt `onDelete` would be none at all.
 */
export interface Field {
  /** In words: `'delete', 'clear' or 'keep'`. */
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  readonly optional?: true;
  /** What to do about a value that does not fit. Default: `correct it`, or `add it`. */
  readonly remedy?: string;
  /** Of a record: what each of its values must be. */
  readonly each?: (value: unknown) => boolean;
}

/** The fields of a spec. The compiler keeps them complete. */
export type FieldsOf<Spec> = { readonly [Name in keyof Spec]-?: Field };

export interface WrongField {
  readonly is: 'unknown-field' | 'invalid-field';
  /** A sentence, without item content: a spec has none. */
  readonly message: string;
}

/**
 * The first field of a spec that is unknown, missing or something else; undefined if all are as they should be.
 * @param what the spec in words: `rule title-on-comments`
 */
export function wrongField(
  what: string,
  spec: unknown,
  fields: Readonly<Record<string, Field>>,
): WrongField | undefined {
  if (!isObject(spec))
    return {
      is: 'invalid-field',
      message: `Expected ${what} to be an object, got ${typeOf(spec)}: correct it`,
    };
  const known = Object.keys(fields);
  const unknown = Object.keys(spec).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    const hint = near === undefined ? `it has ${known.join(', ')}` : `did you mean '${near}'?`;
    return { is: 'unknown-field', message: `Expected a field of ${what}, got '${unknown}': ${hint}` };
  }
  for (const [name, { expected, fits, optional, remedy, each }] of Object.entries(fields)) {
    const value = spec[name];
    if (fits(value) || (value === undefined && optional === true)) continue;
    const [got, usual] = value === undefined ? ['none', 'add it'] : [said(value, each), 'correct it'];
    return {
      is: 'invalid-field',
      message: `Expected ${name} of ${what} to be ${expected}, got ${got}: ${remedy ?? usual}`,
    };
  }
  return undefined;
}

/** A spec is source code, so its words and numbers may be quoted. Of a record, the first value that is wrong. */
function said(value: unknown, each?: Field['each']): string {
  const wrong = each && isObject(value) && Object.entries(value).find(([, one]) => !each(one));
  if (wrong) return `${said(wrong[1])} for ${wrong[0]}`;
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? `'${value}'` : typeOf(value);
}

/** An object with any names, whose values all fit. */
export function recordOf(expected: string, each: (value: unknown) => boolean): Field {
  return { expected, each, fits: (value) => isObject(value) && Object.values(value).every(each) };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const aBoolean: Field = { expected: 'true or false', fits: (value) => typeof value === 'boolean' };

export const aText: Field = { expected: 'text', fits: (value) => typeof value === 'string' };

export const ruleName: Field = {
  expected: "words in lower case with hyphens, such as 'author-on-posts'",
  fits: (value) => typeof value === 'string' && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(value),
};

export const callable: Field = { expected: 'a function', fits: (value) => typeof value === 'function' };

export const attributeNames: Field = {
  expected: 'a list of attributes',
  fits: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
};

/** A kind that is undefined is mostly one whose import is misspelt or circular. */
export const aKind: Field = {
  expected: 'what defineKind returns',
  remedy: 'check its import',
  fits: (value) => isObject(value) && isObject(value['pkPattern']) && isObject(value['attributes']),
};

export const anIndex: Field = {
  expected: "an index of the table, { name, pk, sk }, and projection: 'ALL' if it holds whole items",
  fits: (value) =>
    isObject(value) &&
    [value['name'], value['pk'], value['sk']].every((name) => typeof name === 'string') &&
    [undefined, 'ALL'].some((projection) => projection === value['projection']),
};

export function oneOf(...words: readonly string[]): Field {
  const quoted = words.map((word) => `'${word}'`);
  return {
    expected: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`,
    fits: (value) => typeof value === 'string' && words.includes(value),
  };
}

export function optional(field: Field): Field {
  return { ...field, optional: true };
}

/** @throws RuleError if a field of a rule's spec is wrong. `rule` is its name; aging has none */
export function refuseField(wrong: WrongField | undefined, rule?: string): void {
  if (wrong === undefined) return;
  const code = wrong.is === 'unknown-field' ? 'rule.unknown-field' : 'rule.invalid-field';
  throw new RuleError(code, wrong.message, rule === undefined ? {} : { rule });
}
