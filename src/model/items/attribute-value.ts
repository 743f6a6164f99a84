/** A value in DynamoDB's own form: copied values are never converted to another type and back. */
export type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: Uint8Array }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly Uint8Array[] }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: Readonly<Record<string, AttributeValue>> };

/** As in DynamoDB's `=`: 1.0 equals 1, and sets are equal in any order. A missing value equals only a missing value. */
export function equal(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a === b) return true;
  if ('S' in a && 'S' in b) return a.S === b.S;
  if ('N' in a && 'N' in b && (a.N === b.N || (plainWhole.test(a.N) && plainWhole.test(b.N))))
    return a.N === b.N;
  return canonical(a) === canonical(b);
}

/** Two of them are equal only as texts. */
const plainWhole = /^-?[1-9]\d*$/;

/** A text that is the same for two values if and only if they are {@link equal}. */
export function canonical(value: AttributeValue): string {
  if ('S' in value) return `S${JSON.stringify(value.S)}`;
  if ('N' in value) return `N${canonicalNumber(value.N)}`;
  if ('B' in value) return `B${base64(value.B)}`;
  if ('BOOL' in value) return value.BOOL ? 'true' : 'false';
  if ('NULL' in value) return 'null';
  if ('SS' in value) return `SS${JSON.stringify([...value.SS].sort())}`;
  if ('NS' in value) return `NS${JSON.stringify(value.NS.map(canonicalNumber).sort())}`;
  if ('BS' in value) return `BS${JSON.stringify(value.BS.map(base64).sort())}`;
  if ('L' in value) return `[${value.L.map(canonical).join()}]`;
  return canonicalMap(value.M);
}

/** The canonical text of a whole item, whatever the order of its attributes. */
export function canonicalMap(map: Readonly<Record<string, AttributeValue>>): string {
  const entries = Object.keys(map)
    .sort()
    .map((name) => {
      const value = map[name];
      return value === undefined ? '' : `${JSON.stringify(name)}:${canonical(value)}`;
    });
  return `{${entries.join()}}`;
}

/** No number of DynamoDB has as many characters, however it is written. */
export const maxNumberLength = 200;

const decimal = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** The same text for every spelling of a number. Any other text as it is. */
export function canonicalNumber(text: string): string {
  if (text.length > maxNumberLength) return text;
  const parts = decimal.exec(text.trim());
  if (parts === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}

/** The same as a `bigint`, with all its digits; undefined if it is no whole number. */
export function wholeNumber(text: string): bigint | undefined {
  const [, digits, power = '0'] = /^(-?\d+)(?:e(\d+))?$/.exec(canonicalNumber(text)) ?? [];
  return digits === undefined ? undefined : BigInt(digits) * 10n ** BigInt(power);
}

/** As a rule's functions see it. A number that JavaScript cannot hold exactly stays text: no rule gets a rounded one. */
export function jsValue(value: AttributeValue, number: NumberReader = exactOrText): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return number(value.N);
  // A copy of the bytes: a function that changes them must not change the item.
  if ('B' in value) return Uint8Array.from(value.B);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return new Set(value.NS.map(number));
  if ('BS' in value) return new Set(value.BS.map((bytes) => Uint8Array.from(bytes)));
  if ('L' in value) return value.L.map((member) => jsValue(member, number));
  const members = Object.entries(value.M);
  return Object.fromEntries(members.map(([name, member]) => [name, jsValue(member, number)]));
}

/** The same with the nearest number to each fraction. A whole number stays as it is: it may be an id. */
export function withNearestFractions(value: AttributeValue): unknown {
  return jsValue(value, (text) => (canonicalNumber(text).includes('e-') ? Number(text) : exactOrText(text)));
}

/**
 * The value of a derived attribute, as functions see values: in an object, what is undefined is left out. Numbers are finite,
 * and a `bigint` is exact.
 */
export type Derived =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | ReadonlySet<string | number | bigint | Uint8Array>
  | readonly Derived[]
  | { readonly [name: string]: Derived | undefined };

export function fromDerived(value: Derived): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number' || typeof value === 'bigint') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: value };
  if (value instanceof Set) return fromSet([...value]);
  if (Array.isArray(value)) return { L: value.map(fromDerived) };
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [[name, fromDerived(member)]],
  );
  return { M: Object.fromEntries(members) };
}

/** @param members of one type */
function fromSet(members: readonly (string | number | bigint | Uint8Array)[]): AttributeValue {
  const bytes = members.filter((member) => member instanceof Uint8Array);
  if (bytes.length > 0) return { BS: bytes };
  return members.every((member) => typeof member === 'string')
    ? { SS: members }
    : { NS: members.map(String) };
}

type NumberReader = (text: string) => number | string;

/** A number that JavaScript holds exactly, or else its text. */
function exactOrText(text: string): number | string {
  const number = Number(text);
  return canonicalNumber(String(number)) === canonicalNumber(text) ? number : text;
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
