import { DenormError, RuleError } from '../basics/errors.ts';
import { didYouMean } from '../basics/nearest.ts';
import {
  aFunction,
  aText,
  list,
  object,
  oneOf,
  optional,
  type Requirement,
  requirement,
} from '../basics/requirement.ts';
import { isObject } from '../basics/type-of.ts';

/** What a spec describes, in words (`rule title-on-comments`), and of which rule it is, if that is known. */
interface Described {
  readonly what: string;
  readonly rule?: string | undefined;
}

/** What each field of a spec has to be. The compiler keeps the list complete. */
export type FieldsOf<Spec> = { readonly [Name in keyof Spec]-?: Requirement };

/**
 * A misspelt `onDelete` would be none at all.
 * @throws DenormError `field.unknown` or `field.invalid`, a RuleError if the rule is known
 */
export function requireSpec(expected: Requirement, spec: unknown, { what, rule }: Described): void {
  const misfit = expected.misfit(spec);
  if (misfit !== undefined) throw refusal(misfit.code, misfit.message(what), rule);
}

export const attributeNames = requirement('a list of attributes', isListOfText);

export function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

export const ruleName = requirement(
  "words in lower case with hyphens, such as 'author-on-posts'",
  (value) => typeof value === 'string' && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(value),
);

/** A kind that is undefined is mostly one whose import is misspelt or circular. */
export const aKind = requirement(
  'what defineKind returns',
  (value) => isObject(value) && isObject(value['pkPattern']) && isObject(value['attributes']),
  'check its import',
);

export const keyAttribute = requirement(
  "the name of an attribute, or { name, type } with the type 'S' or 'N', because binary keys are not supported",
  isKeyAttribute,
);

function isKeyAttribute(value: unknown): boolean {
  if (!isObject(value)) return typeof value === 'string';
  const { name, type, ...more } = value;
  return typeof name === 'string' && (type === 'S' || type === 'N') && Object.keys(more).length === 0;
}

const severalKeyAttributes = list('a list of 1 to 4 attributes', keyAttribute, { least: 1, most: 4 });

const keyAttributes: Requirement = {
  words: `${keyAttribute.words}, or a list of them`,
  misfit: (value) => (Array.isArray(value) ? severalKeyAttributes : keyAttribute).misfit(value),
};

export const anIndex = object({
  name: aText,
  pk: keyAttributes,
  sk: optional(keyAttributes),
  projection: optional(oneOf('ALL')),
});

/** What says where in a location: `at`, or in an index the kind that declares its keys. */
export function placing({ of }: Readonly<Record<string, unknown>>): Readonly<Record<string, Requirement>> {
  return of === undefined ? { at: aFunction } : { of: aKind };
}

/**
 * Refuses attributes that the schema of a kind does not list.
 * @throws DenormError `rule.unknown-attribute`, a RuleError if the rule is known
 */
export function requireListed(
  names: readonly string[],
  { name: kind, attributes }: { readonly name: string; readonly attributes: { readonly shape: object } },
  { what, rule }: Described,
): void {
  const known = Object.keys(attributes.shape);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw refusal(
    'rule.unknown-attribute',
    `Expected ${what} to name attributes that the schema of ${kind} lists, got '${unknown}': ${didYouMean(unknown, known)}`,
    rule,
  );
}

function refusal(code: string, message: string, rule: string | undefined): DenormError {
  return rule === undefined ? new DenormError(code, message) : new RuleError(code, message, { rule });
}
