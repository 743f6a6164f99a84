import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Plain } from '../../plain-values.ts';

/** Values of an attribute, as a rule's functions see them. Undefined means that the item may lack it. */
export type Pool = readonly (Plain | undefined)[];

/** Values of an attribute at most. Few, so that the same ones come again. */
const most = 6;

/** Quotes, escapes and ends of lines, a text in the other direction, a control, and nothing to see. */
const hostile = '"\\\'; --\r\n\u2028\u202e\u0000\u200b</script>';

const texts = [
  ...['one', 'two', 'a b', hostile, '2026-01-15T09:30:00Z', '2024-02-29T23:59:59.123Z', 'B2'],
  ...['2026-01-15', '2024-02-29', '09:30:00', '2026-01'],
  ...['ann@example.com', 'bob@example.com', 'https://example.com/a', 'https://example.com/b'],
  ...['1b4e28ba-2fa1-4d1a-9f3a-1f6c8a2b7c01', '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  ...[
    '1',
    '42',
    '007',
    'true',
    'en',
    'de',
    'DE',
    'FR',
    'EUR',
    'USD',
    'a-slug',
    'abc123',
    'ABC',
    '+4915112345678',
  ],
  ...[
    '127.0.0.1',
    '10.0.0.0/8',
    '::1',
    'P1D',
    'PT5M',
    '#a0b1c2',
    'YWJj',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'example.com',
  ],
  ...[
    'V1StGXR8_Z5jdHi6B-myT',
    'cjld2cjxh0000qzrmn831i7rn',
    'tz4a98xxat96iws9zmbrgj3a',
    '2026-01-15T09:30:00+01:00',
  ],
];

const numbers = [1, 2, 0, -1, 1e-7, 10, 0.5, 100, 2026, 1_700_000_000, 1_700_000_000_000];

const others: readonly Plain[] = [true, false, null, new Uint8Array([1, 2]), new Uint8Array([3]), [], {}];

/**
 * Values that a schema accepts: the examples, if there are any, otherwise values that its shape suggests, of those that
 * it accepts. Empty if none is found.
 */
export function poolOf(schema: z.core.$ZodType, examples: readonly unknown[]): Pool {
  const given = examples.filter((example) => example !== undefined) as Plain[];
  const found = given.length > 0 ? given : varied(candidates(schema, 0), (one) => accepts(schema, one));
  return found.length > 0 && accepts(schema, undefined) ? [...found, undefined] : found;
}

/** Whether a schema accepts this value. */
export function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  try {
    return z.safeParse(schema, value).success;
  } catch {
    // A refinement that throws, or a schema that is asynchronous.
    return false;
  }
}

function varied(all: readonly Plain[], isAccepted: (one: Plain) => boolean): Plain[] {
  const found: Plain[] = [];
  for (const one of all) {
    if (found.length === most) break;
    if (!found.some((other) => isDeepStrictEqual(other, one)) && isAccepted(one)) found.push(one);
  }
  return found;
}

/** Values worth trying, the likeliest first. */
function candidates(schema: z.core.$ZodType, depth: number): Plain[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (depth > 4) return [];
  const of = (inner: z.core.$ZodType): Plain[] =>
    varied(candidates(inner, depth + 1), (one) => accepts(inner, one));
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return of(def.innerType);
    case 'nullable':
      return of(def.innerType).toSpliced(1, 0, null);
    case 'pipe':
      return def.in._zod.def.type === 'transform' ? anything() : of(def.in);
    case 'lazy':
      return of(def.getter());
    case 'union':
      return interleaved(def.options.map(of));
    case 'intersection':
      return [...of(def.left), ...of(def.right)];
    case 'array':
      return lists(of(def.element));
    case 'set':
      return sets(of(def.valueType));
    case 'tuple':
      return zipped(def.items.map(of));
    case 'record':
      return of(def.valueType).map((value) => ({ one: value }));
    case 'object':
      return objects(
        Object.entries(def.shape).map(([name, inner]) => [name, [...of(inner)], accepts(inner, undefined)]),
      );
    case 'enum':
      return Object.values(def.entries);
    case 'literal':
      return def.values.filter((value) => value !== undefined) as Plain[];
    case 'string':
      return bounded(schema);
    case 'number':
      return numeric(schema);
    default:
      return anything();
  }
}

function anything(): Plain[] {
  return [...texts, ...numbers, ...others];
}

function bounded(schema: z.core.$ZodType): Plain[] {
  const { minLength = 0, maxLength = 60 } = boundsOf(schema);
  const length = Math.min(Math.max(minLength, 1), 10_000);
  const padded = ['x', 'y', 'z'].map((sign) => sign.repeat(length));
  const all = [...texts, ...padded, 'long '.repeat(60).slice(0, Math.min(maxLength, 300))];
  const { prefix = '', suffix = '', includes = '' } = affixesOf(schema);
  const isAffixed = prefix !== '' || suffix !== '' || includes !== '';
  return isAffixed ? all.map((text) => `${prefix}${text.slice(0, 12)}${includes}${suffix}`) : all;
}

const affixSchema = z.object({
  prefix: z.string().optional(),
  suffix: z.string().optional(),
  includes: z.string().optional(),
});

/** What a text must begin with, end with or hold. */
function affixesOf(schema: z.core.$ZodType): z.output<typeof affixSchema> {
  const checks = schema._zod.def.checks ?? [];
  const found = checks.map((check) => affixSchema.safeParse(check._zod.def).data ?? {});
  return Object.assign({}, ...found);
}

function numeric(schema: z.core.$ZodType): Plain[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 } = boundsOf(schema);
  const low = minimum ?? exclusiveMinimum;
  const high = maximum ?? exclusiveMaximum;
  // The bound of every integer in JavaScript says nothing of this one, and sums beyond it are not exact.
  const isExact = (value: number) => Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const near = [low, high]
    .filter((value) => value !== undefined)
    .filter(isExact)
    .flatMap((value) => [value, value + multipleOf, value - multipleOf]);
  return [...numbers.slice(0, 3), ...near, ...numbers.slice(3), multipleOf, 7 * multipleOf];
}

const boundsSchema = z.object({
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  multipleOf: z.number().optional(),
});

function boundsOf(schema: z.core.$ZodType): z.output<typeof boundsSchema> {
  return boundsSchema.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

function lists(members: readonly Plain[]): Plain[] {
  return [members.slice(0, 1), members.slice(0, 2), [], members.slice(0, 3), members.slice(1, 2)];
}

/** DynamoDB has sets of texts and of numbers, and no empty ones. */
function sets(members: readonly Plain[]): Plain[] {
  const strings = members.filter((one) => typeof one === 'string');
  const values = members.filter((one) => typeof one === 'number');
  return [
    ...[strings.slice(0, 1), strings.slice(0, 2), strings.slice(1, 3)].map((some) => new Set(some)),
    ...[values.slice(0, 1), values.slice(0, 2), values.slice(1, 3)].map((some) => new Set(some)),
  ].filter((set) => set.size > 0);
}

function zipped(columns: readonly (readonly Plain[])[]): Plain[] {
  if (columns.some((column) => column.length === 0)) return [];
  return [0, 1, 2].map((row) => columns.map((column) => column[row % column.length] ?? null));
}

function objects(
  members: readonly (readonly [name: string, values: readonly Plain[], optional: boolean])[],
): Plain[] {
  const rows = [0, 1, 2].map((row) =>
    Object.fromEntries(
      members.flatMap(([name, values]) => (values.length === 0 ? [] : [[name, values[row % values.length]]])),
    ),
  );
  const few = members.filter(([, , optional]) => !optional).map(([name]) => name);
  return [
    ...rows,
    Object.fromEntries(Object.entries(rows[0] ?? {}).filter(([name]) => few.includes(name))),
  ] as Plain[];
}

function interleaved(columns: readonly (readonly Plain[])[]): Plain[] {
  const longest = Math.max(0, ...columns.map(({ length }) => length));
  return Array.from({ length: longest }, (_, row) =>
    columns.flatMap((column) => column.slice(row, row + 1)),
  ).flat();
}
