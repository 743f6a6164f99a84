import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { DenormError, InvalidItemError, type Role } from '../basics/errors.ts';
import { didYouMean } from '../basics/nearest.ts';
import { type AttributeValue, jsValue, wholeNumber, withNearestFractions } from '../items/attribute-value.ts';
import { attribute, type Item, type ItemKey, keyIn, text } from '../items/item.ts';
import { type AnyKind, type BoundKind, type Ids, idNames, numericId, type View } from './kind.ts';

/**
 * An attribute is parsed when a function reads it, so an item needs only those that are used. Reading one that is not in
 * `reads` is an error, as is an unknown name: without types it would be undefined, and part of a key as that text.
 * @throws InvalidItemError `<role>.invalid` when a function reads an attribute that is missing or has another type
 */
export function viewOf(kind: BoundKind, item: Item, reader: Reader): AnyView {
  const { shape } = kind.attributes;
  const key = keyIn(kind.table, item);
  let known: Map<string, unknown> | undefined;
  const ids = new Proxy<Ids>(idsOf(kind, key, reader), {
    get: (target, name) =>
      isAsked(target, name)
        ? Reflect.get(target, name)
        : refuse(name, `an id of the keys of ${kind.name}`, idNames(kind)),
  });
  return new Proxy(Object.freeze({ ids }), {
    get(target, name) {
      const schema = typeof name === 'string' && Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (typeof name === 'symbol' || schema === undefined)
        return isAsked(target, name)
          ? Reflect.get(target, name)
          : refuse(name, `an attribute that the schema of ${kind.name} lists`, Object.keys(shape));
      const before = known?.get(name);
      if (before !== undefined) return before;
      const value = parsed({ kind, reader, name, schema, item, key });
      // A text or a number is parsed once: all copies of a page read the same root. Functions may change other values.
      if (typeof value === 'string' || typeof value === 'number')
        known = (known ?? new Map<string, unknown>()).set(name, value);
      return value;
    },
    /** Whether the item has a value there, whatever its schema says: NULL and empty text are none. */
    has(target, name) {
      const value = typeof name === 'string' ? attribute(item, name) : undefined;
      return name in target || (value !== undefined && !('NULL' in value) && text(value) !== '');
    },
  });
}

/** Some names JavaScript asks for by itself. */
function isAsked(target: object, name: string | symbol): boolean {
  return typeof name === 'symbol' || name in target || name === 'then' || name === 'toJSON';
}

function refuse(name: string | symbol, expected: string, names: readonly string[]): never {
  throw new DenormError(
    'rule.undeclared-read',
    `Expected ${expected}, got '${String(name)}': ${didYouMean(String(name), names)}`,
  );
}

interface Reader {
  readonly rule: string;
  readonly role: Role;
  readonly reads: readonly string[];
}

function idsOf(kind: AnyKind, key: ItemKey, reader: Reader): Ids {
  const ids = { ...kind.idsOf(key) };
  if (kind.pkPattern.numeric === undefined && kind.skPattern.numeric === undefined) return Object.freeze(ids);
  for (const [name, text] of Object.entries(ids)) {
    const numeric = numericId(kind, name);
    const get = numeric && (() => numberOfId(text, { kind, reader, name, numeric, key }));
    if (get !== undefined) Object.defineProperty(ids, name, { get, enumerable: true });
  }
  return Object.freeze(ids);
}

interface NumericId extends Pick<Read, 'kind' | 'reader' | 'name' | 'key'> {
  readonly numeric: 'number' | 'bigint';
}

/** Never a rounded one. */
function numberOfId(
  text: string,
  { kind, reader: { rule, role }, name, numeric, key }: NumericId,
): number | bigint {
  const number = numeric === 'bigint' ? wholeNumber(text) : jsValue({ N: text });
  if (typeof number === 'bigint' || typeof number === 'number') return number;
  throw new InvalidItemError(
    role,
    `${role}.invalid`,
    `Expected id '${name}' of ${kind.name} to be ${numeric === 'bigint' ? 'a whole number' : `a number that JavaScript holds exactly: write {${name}:bigint} for whole numbers`}, found another`,
    { rule, key },
  );
}

type AnyView = View<Record<string, unknown>, string>;

interface Read extends Accepted {
  readonly reader: Reader;
}

interface Accepted {
  readonly kind: AnyKind;
  readonly reader: Omit<Reader, 'reads'>;
  readonly name: string;
  readonly schema: z.core.$ZodType;
  readonly item: Item;
  readonly key: ItemKey;
}

function parsed({ kind, reader: { rule, role, reads }, name, schema, item, key }: Read): unknown {
  if (!reads.includes(name))
    throw new DenormError(
      'rule.undeclared-read',
      `Rule ${rule} reads '${name}' of its ${role} without declaring it: add it to reads.${role}`,
      { rule },
    );
  return accepted({ kind, reader: { rule, role }, name, schema, item, key });
}

/**
 * What the schema makes of an attribute of the item.
 * @throws InvalidItemError `<role>.invalid` if it refuses the value, or that there
 * is none
 */
export function accepted({ kind, reader: { rule, role }, name, schema, item, key }: Accepted): unknown {
  const value = attribute(item, name);
  const result = parsedBy(schema, value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const ofOtherType = issue?.code === 'invalid_type' && issue.path.length === 0;
  const expected = ofOtherType ? issue.expected : 'a value that its schema accepts';
  const found = typeText(value, ofOtherType ? 'one' : 'another');
  throw new InvalidItemError(
    role,
    `${role}.invalid`,
    `Expected attribute '${name}' of ${kind.name} to be ${expected}, found ${found}${exceededLimit(issue, value)}`,
    { rule, key, attribute: { kind: kind.name, name, isMissing: value === undefined || 'NULL' in value } },
  );
}

/**
 * What a schema makes of a value: of a fraction that JavaScript cannot hold, the nearest number unless it takes the text; of a
 * whole number, a `bigint` if it takes no other. A schema that throws, as one with `JSON.parse` does, refuses the value.
 */
export function parsedBy(schema: z.core.$ZodType, value: AttributeValue | undefined) {
  try {
    return parsedAs(schema, value);
  } catch (error) {
    const threw = error instanceof Error ? error.name : 'a value that is not an Error';
    const about = { path: [], message: '', input: undefined, params: { [threwName]: threw } };
    return {
      success: false,
      data: undefined,
      error: { issues: [{ code: 'custom', ...about }] },
    } as const;
  }
}

/** Of an issue, beside what the schema's author may put there. */
const threwName = '~threw';

function parsedAs(schema: z.core.$ZodType, value: AttributeValue | undefined) {
  const exact = z.safeParse(schema, value && jsValue(value));
  if (exact.success || value === undefined) return exact;
  const nearest = z.safeParse(schema, withNearestFractions(value));
  const whole = nearest.success || !('N' in value) ? undefined : wholeNumber(value.N);
  const asBigint = whole === undefined ? nearest : z.safeParse(schema, whole);
  return asBigint.success ? asBigint : nearest;
}

/**
 * What the schema threw, or which limit a value exceeds, in zod's words and not in those of the schema's author, which may quote it; and its length. Empty if
 * only code says what is wrong, or if it is within a list or map, because zod would name a key.
 */
export function exceededLimit(
  issue: z.core.$ZodIssue | undefined,
  value: AttributeValue | undefined,
): string {
  const threw = issue?.code === 'custom' ? issue.params?.[threwName] : undefined;
  if (threw !== undefined) return ` (its schema threw ${threw})`;
  if (value === undefined || issue?.path.length !== 0 || !/^too|^not|(format|value)$/.test(issue.code))
    return '';
  const [content] = Object.values(value);
  const length = 'N' in value || content.length === undefined ? '' : ` and length ${content.length}`;
  return `${length} (${(z.config().localeError ?? en().localeError)({ ...issue, input: undefined })})`;
}

/** Never content. */
function typeText(value: AttributeValue | undefined, one: string): string {
  if (value === undefined) return 'none';
  if (typeof withNearestFractions(value) === 'string' && 'N' in value)
    return 'a number with more digits than JavaScript holds exactly';
  return `${one} of type ${Object.keys(value)[0]}`;
}
