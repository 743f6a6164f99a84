import { DenormError } from './errors.ts';
import { mistakeIn } from './key-pattern.ts';
import { typeOf } from './type-of.ts';

/** The names in braces of an index key pattern, without their widths: of `S#{score:10}` it is `score`. */
export type NamesOf<Pattern extends string> = Pattern extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Bare}:${string}` ? Bare : Name) | NamesOf<Rest>
  : never;

/** The patterns of one index's keys, as a kind declares them: one for each attribute. */
export interface IndexKeys {
  readonly pk: readonly IndexKeyPattern[];
  readonly sk: readonly IndexKeyPattern[];
}

/**
 * The pattern of a key of an index, such as `STATUS#{status}` or `{score:10}`: text, with ids and attributes in braces. A
 * width pads a whole number with zeros, so that text sorts as numbers do.
 */
export interface IndexKeyPattern {
  readonly pattern: string;
  /** The ids and attributes in braces, in their order. */
  readonly names: readonly string[];
  /** The text before, between and after the names. */
  readonly literals: readonly string[];
  /**
   * The key for these values.
   * @returns undefined if one of them is undefined, null or empty text: a sparse index has no such item
   * @throws DenormError `key.unwritable` if a value does not fit
   */
  write(given: (name: string) => unknown): string | undefined;
}

export function indexKeyPattern(pattern: string): IndexKeyPattern {
  const pieces = pattern.split(/\{(\w+)(?::([1-9]\d*))?\}/);
  const literals = pieces.filter((_, index) => index % 3 === 0);
  const names = pieces.filter((_, index) => index % 3 === 1);
  const widths = pieces.filter((_, index) => index % 3 === 2);
  const mistake = mistakeIn(pattern, literals);
  if (pattern === '' || mistake !== undefined)
    throw new DenormError(
      'key.malformed',
      `Expected an index key pattern such as 'STATUS#{status}' or '{score:10}', got '${pattern}'${mistake ?? ''}`,
    );
  return {
    ...{ pattern, names, literals },
    write(given) {
      const values = names.map(given);
      if (values.some((value) => value === undefined || value === null || value === '')) return undefined;
      const parts = values.map((value, index) => {
        const name = names[index] ?? '';
        const width = widths[index];
        const part = width === undefined ? plainText(value) : paddedText(value, Number(width));
        const [after = ''] = literals[index + 1] ?? '';
        if (part !== undefined && (after === '' || !part.includes(after))) return part;
        const expected =
          width === undefined
            ? `text that is not empty${after === '' ? '' : ` and has no '${after}'`}, or a number`
            : `a whole number from 0 with at most ${width} digits`;
        throw new DenormError(
          'key.unwritable',
          `Expected '${name}' of the index key pattern '${pattern}' to be ${expected}, got ${typeof value === 'string' ? 'other text' : typeof value === 'number' ? 'another number' : typeOf(value)}`,
        );
      });
      return literals.reduce((key, literal, index) => key + parts[index - 1] + literal);
    },
  };
}

/** Numbers that JavaScript does not hold exactly are text already, or a `bigint`. */
function plainText(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(BigInt(value)) : String(value);
  return typeof value === 'string' ? value : undefined;
}

function paddedText(value: unknown, width: number): string | undefined {
  const digits = plainText(value);
  if (digits === undefined || !/^\d+$/.test(digits) || digits.length > width) return undefined;
  return digits.padStart(width, '0');
}
