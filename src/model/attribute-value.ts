/**
 * A DynamoDB attribute value as the service speaks it. Numbers travel as text (38 digits), binary is bytes,
 * sets have no order. Nothing that is copied through is ever converted to a friendlier type and back.
 */
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

/**
 * Equality as DynamoDB's own `=` has it: 1.0 equals 1, sets are equal in any order, binary by its bytes, and a
 * value of another type is never equal. Absent equals absent only.
 */
export function equal(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a === b) return true;
  if ('S' in a && 'S' in b) return a.S === b.S;
  return canonical(a) === canonical(b);
}

/** A text that two values share exactly when they are {@link equal}. */
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

const decimal = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** One spelling for each number: significant digits without outer zeros, and the exponent of the last digit. */
export function canonicalNumber(text: string): string {
  const parts = decimal.exec(text.trim());
  if (parts === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}

/**
 * The value as a rule's functions see it. A number that a JavaScript number cannot hold exactly stays text, so
 * that a schema refuses it instead of a rule rounding it.
 */
export function friendly(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return friendlyNumber(value.N);
  if ('B' in value) return value.B;
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return new Set(value.NS.map(friendlyNumber));
  if ('BS' in value) return new Set(value.BS);
  if ('L' in value) return value.L.map(friendly);
  return Object.fromEntries(Object.entries(value.M).map(([name, member]) => [name, friendly(member)]));
}

/** What a derived attribute may be: text or a finite number. */
export type Derived = string | number;

export function fromDerived(value: Derived): AttributeValue {
  return typeof value === 'number' ? { N: String(value) } : { S: value };
}

function friendlyNumber(text: string): number | string {
  const number = Number(text);
  return canonicalNumber(String(number)) === canonicalNumber(text) ? number : text;
}

/** Bytes as base64 text, as DynamoDB JSON spells binary. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
