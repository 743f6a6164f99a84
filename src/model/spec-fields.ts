import { DenormError, RuleError } from './errors.ts';
import { didYouMean } from './nearest.ts';
import { typeOf } from './type-of.ts';

/** In words (`located of rule title-on-comments`), and of which rule, if that is known. */
export interface Place {
  readonly what: string;
  readonly rule?: string | undefined;
}

/**
 * Compilers check a spec, but `denorm` and Lambda run a project's files without types: a misspelt `onDelete` would be none at
 * all.
 * @throws DenormError `field.unknown` or `field.invalid`, a RuleError if the rule is known
 */
export type Check = (value: unknown, at: Place) => void;

/** The compiler keeps them complete. */
export type FieldsOf<Spec> = { readonly [Name in keyof Spec]-?: Check };

type Fields = Readonly<Record<string, Check>>;

/**
 * @param expected in words: `a function`
 * @param remedy default: `correct it`, or `add it`
 */
export function must(expected: string, fits: (value: unknown) => boolean, remedy?: string): Check {
  return (value, at) => {
    if (fits(value)) return;
    const [got, usual] = value === undefined ? ['none', 'add it'] : [quoted(value), 'correct it'];
    throw refusal(
      'field.invalid',
      `Expected ${at.what} to be ${expected}, got ${got}: ${remedy ?? usual}`,
      at,
    );
  };
}

export function optional(check: Check): Check {
  return (value, at) => {
    if (value !== undefined) check(value, at);
  };
}

export function object(fields: Fields | ((value: Readonly<Record<string, unknown>>) => Fields)): Check {
  return (value, at) => {
    if (!isObject(value)) return anObject(value, at);
    const checks = typeof fields === 'function' ? fields(value) : fields;
    const known = Object.keys(checks);
    const unknown = Object.keys(value).find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw refusal(
        'field.unknown',
        `Expected a field of ${at.what}, got '${unknown}': ${didYouMean(unknown, known)}`,
        at,
      );
    for (const [name, check] of Object.entries(checks)) check(value[name], within(at, name));
  };
}

export function record(each: Check): Check {
  return (value, at) => {
    if (!isObject(value)) return anObject(value, at);
    for (const [name, member] of Object.entries(value)) each(member, within(at, name));
  };
}

export function list(expected: string, each: Check): Check {
  const aList = must(expected, Array.isArray);
  return (value, at) => {
    if (!Array.isArray(value)) return aList(value, at);
    for (const [index, member] of value.entries()) each(member, within(at, `element ${index + 1}`));
  };
}

export function oneOf(...words: readonly string[]): Check {
  const all = words.map((word) => `'${word}'`);
  const expected = [...all.slice(0, -2), all.slice(-2).join(' or ')].join(', ');
  return must(expected, (value) => typeof value === 'string' && words.includes(value));
}

export function wholeNumber(least: number, most: number): Check {
  // Not by toLocaleString: Node loads its tables of languages for that, a fifth of a cold start.
  const highest = String(most).replace(/\B(?=(\d{3})+$)/g, ',');
  return must(
    `a whole number from ${least} to ${highest}`,
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const anObject = must('an object', isObject);

export const aBoolean = must('true or false', (value) => typeof value === 'boolean');

export const aText = must('text', (value) => typeof value === 'string');

export const aFunction = must('a function', (value) => typeof value === 'function');

export const attributeNames = must('a list of attributes', isListOfText);

export function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

export const ruleName = must(
  "words in lower case with hyphens, such as 'author-on-posts'",
  (value) => typeof value === 'string' && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(value),
);

/** A kind that is undefined is mostly one whose import is misspelt or circular. */
export const aKind = must(
  'what defineKind returns',
  (value) => isObject(value) && isObject(value['pkPattern']) && isObject(value['attributes']),
  'check its import',
);

export const keyAttribute = must(
  "the name of an attribute, or { name, type } with the type 'S' or 'N', because binary keys are not supported",
  isKeyAttribute,
);

function isKeyAttribute(value: unknown): boolean {
  if (!isObject(value)) return typeof value === 'string';
  const { name, type, ...more } = value;
  return typeof name === 'string' && (type === 'S' || type === 'N') && Object.keys(more).length === 0;
}

const keyAttributes: Check = (value, at) => {
  if (!Array.isArray(value)) return keyAttribute(value, at);
  must('a list of 1 to 4 attributes', () => value.length >= 1 && value.length <= 4)(value, at);
  list('a list', keyAttribute)(value, at);
};

export const anIndex = object({
  name: aText,
  pk: keyAttributes,
  sk: optional(keyAttributes),
  projection: optional(oneOf('ALL')),
});

/** What says where in a location: `at`, or in an index the kind that declares its keys. */
export function placing({ of }: Readonly<Record<string, unknown>>): Readonly<Record<string, Check>> {
  return of === undefined ? { at: aFunction } : { of: aKind };
}

/**
 * Refuses attributes that the schema of a kind does not list.
 * @throws DenormError `rule.unknown-attribute`, a RuleError if the rule is known
 */
export function requireListed(
  names: readonly string[],
  { name: kind, attributes }: { readonly name: string; readonly attributes: { readonly shape: object } },
  at: Place,
): void {
  const known = Object.keys(attributes.shape);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw refusal(
    'rule.unknown-attribute',
    `Expected ${at.what} to name attributes that the schema of ${kind} lists, got '${unknown}': ${didYouMean(unknown, known)}`,
    at,
  );
}

function within({ what, rule }: Place, part: string): Place {
  return { what: `${part} of ${what}`, rule };
}

/** A spec is source code, so its words and numbers may be quoted. */
function quoted(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? `'${value}'` : typeOf(value);
}

function refusal(code: string, message: string, { rule }: Place): DenormError {
  return rule === undefined ? new DenormError(code, message) : new RuleError(code, message, { rule });
}
