import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Plain } from '../testing/plain-values.ts';

/** Values of an attribute, as a rule's functions see them. Undefined means that the item may lack it. */
export type Pool = readonly (Plain | undefined)[];

/** Few values of an attribute, so that the same ones come again. */
const maxValues = 6;

/** Quotes, escapes and ends of lines, a text in the other direction, a control, and nothing to see. */
const hostile = '"\\\'; --\r\n\u2028\u202e\u0000\u200b</script>';

/** Of each format that zod knows, and what patterns often ask for. */
const texts: readonly string[] = [
  ...['one', 'two', 'a b', hostile],
  ...`2026-01-15T09:30:00Z 2024-02-29T23:59:59.123Z B2 2026-01-15 2024-02-29 09:30:00 2026-01 ann@example.com bob@example.com
      https://example.com/a https://example.com/b 1b4e28ba-2fa1-4d1a-9f3a-1f6c8a2b7c01 7c9e6679-7425-40de-944b-e07fc1f90ae7
      1 42 007 true en de DE FR EUR USD a-slug abc123 ABC +4915112345678 127.0.0.1 10.0.0.0/8 ::1 P1D PT5M #a0b1c2 YWJj
      01ARZ3NDEKTSV4RRFFQ69G5FAV example.com V1StGXR8_Z5jdHi6B-myT cjld2cjxh0000qzrmn831i7rn tz4a98xxat96iws9zmbrgj3a
      2026-01-15T09:30:00+01:00`.split(/\s+/),
];

const numbers: readonly number[] = [1, 2, 0, -1, 1e-7, 10, 0.5, 100, 2026, 1_700_000_000, 1_700_000_000_000];

/** What fits where the shape of a schema says nothing. */
const anything: readonly Plain[] = [
  ...[...texts, ...numbers, true, false, null],
  ...[new Uint8Array([1, 2]), new Uint8Array([3]), [], {}],
];

/** The examples if there are any, otherwise what the schema's shape suggests, of what it accepts. Empty if none is found. */
export function poolOf(schema: z.core.$ZodType, examples: readonly unknown[]): Pool {
  const given = examples.filter((example) => example !== undefined) as Plain[];
  const found = given.length > 0 ? given : acceptedOf(schema, 0);
  return found.length > 0 && accepts(schema, undefined) ? [...found, undefined] : found;
}

export function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  try {
    return z.safeParse(schema, value).success;
  } catch {
    // A refinement that throws, or a schema that is asynchronous.
    return false;
  }
}

function acceptedOf(schema: z.core.$ZodType, depth: number): Plain[] {
  const found: Plain[] = [];
  for (const one of depth > 4 ? [] : candidates(schema, (inner) => acceptedOf(inner, depth + 1))) {
    if (found.length === maxValues) break;
    if (!found.some((other) => isDeepStrictEqual(other, one)) && accepts(schema, one)) found.push(one);
  }
  return found;
}

/**
 * Values worth trying, the likeliest first.
 * @param of values of a schema within this one
 */
function candidates(schema: z.core.$ZodType, of: (inner: z.core.$ZodType) => Plain[]): readonly Plain[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'nullable':
      return of(def.innerType).toSpliced(1, 0, null);
    case 'pipe':
      return def.in._zod.def.type === 'transform' ? anything : of(def.in);
    case 'lazy':
      return of(def.getter());
    case 'union':
      return byTurns(def.options.map(of));
    case 'intersection':
      return [...of(def.left), ...of(def.right)];
    case 'array':
      return parts(of(def.element)).concat([[]]);
    case 'set':
      // DynamoDB has sets of texts and of numbers, and no empty ones.
      return ['string', 'number'].flatMap((type) =>
        parts(of(def.valueType).filter((one) => typeof one === type)).flatMap((some) =>
          some.length === 0 ? [] : [new Set(some) as Plain],
        ),
      );
    case 'tuple':
      return rows(def.items.map((item, index) => [String(index), of(item)])).map(Object.values<Plain>);
    case 'record':
      return of(def.valueType).map((value) => ({ one: value }));
    case 'object': {
      const members = Object.entries(def.shape).map(([name, inner]) => [name, of(inner)] as const);
      const needed = members.filter(([name]) => !accepts(def.shape[name] ?? schema, undefined));
      return [...rows(members), row(needed, 0)];
    }
    case 'enum':
      return Object.values(def.entries);
    case 'literal':
      return def.values.filter((value) => value !== undefined) as Plain[];
    case 'string':
      return textsOf(schema);
    case 'number':
      return numbersOf(schema);
    default:
      return 'innerType' in def ? of(def.innerType) : anything;
  }
}

function textsOf(schema: z.core.$ZodType): string[] {
  const { minLength = 0, maxLength = 60 } = boundsOf(schema);
  const length = Math.min(Math.max(minLength, 1), 10_000);
  const padded = ['x', 'y', 'z'].map((sign) => sign.repeat(length));
  const all = [...texts, ...padded, 'long '.repeat(60).slice(0, Math.min(maxLength, 300))];
  // What a text must begin with, end with or hold.
  const affixes = (schema._zod.def.checks ?? []).map((check) => affixSchema.safeParse(check._zod.def).data);
  const { prefix = '', suffix = '', includes = '' } = Object.assign({}, ...affixes);
  if (prefix + suffix + includes === '') return all;
  return all.map((text) => `${prefix}${text.slice(0, 12)}${includes}${suffix}`);
}

function numbersOf(schema: z.core.$ZodType): number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 } = boundsOf(schema);
  const near = [minimum ?? exclusiveMinimum, maximum ?? exclusiveMaximum]
    // The bound of every integer in JavaScript says nothing of this one, and sums beyond it are not exact.
    .filter((bound) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER)
    .flatMap((bound = 0) => [bound, bound + multipleOf, bound - multipleOf]);
  return [...numbers.slice(0, 3), ...near, ...numbers.slice(3), multipleOf, 7 * multipleOf];
}

const text = z.string().optional();
const affixSchema = z.object({ prefix: text, suffix: text, includes: text });

const bound = z.number().optional();
const boundsSchema = z.object({
  minLength: bound,
  maxLength: bound,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: bound,
});

function boundsOf(schema: z.core.$ZodType): z.output<typeof boundsSchema> {
  return boundsSchema.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

function parts(members: readonly Plain[]): Plain[][] {
  return [members.slice(0, 1), members.slice(0, 2), members.slice(1, 3), members.slice(0, 3)];
}

type Members = readonly (readonly [name: string, values: readonly Plain[]])[];

function rows(members: Members): Record<string, Plain>[] {
  return [0, 1, 2].map((number) => row(members, number));
}

/** One value of each member that has some. */
function row(members: Members, number: number): Record<string, Plain> {
  const values = members.map(([name, all]) => [name, all[number % all.length]] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function byTurns(columns: readonly (readonly Plain[])[]): Plain[] {
  return Array.from({ length: maxValues }, (_, row) =>
    columns.flatMap((column) => column.slice(row, row + 1)),
  ).flat();
}
