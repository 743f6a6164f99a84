import { DenormError } from '../basics/errors.ts';
import { typeOf } from '../basics/type-of.ts';
import { plainNumber } from '../items/decimal.ts';

/**
 * The names in braces of a pattern: `IdsOf<'acct_{account}#inc_{incident}'>` is `'account' | 'incident'`. The name of a number
 * keeps its type: `IdsOf<'{at:number}'>` is `'at:number'`.
 */
export type IdsOf<Pattern extends string> = Pattern extends `${string}{${infer Id}}${infer Rest}`
  ? Id | IdsOf<Rest>
  : never;

/** A name in braces without its form: of `at:number` it is `at`. */
export type BareName<Name extends string> = Name extends `${infer Bare}:${string}` ? Bare : Name;

/**
 * Text with names in braces, such as `ORDER#{order}`. A name may have a form: the type of a numeric key (`{at:number}`), or the
 * width of a number in text (`{score:10}`).
 */
export interface Pattern {
  readonly pattern: string;
  /** The names in braces, in their order. */
  readonly names: readonly string[];
  /** The form of each name; undefined for one without. */
  readonly forms: readonly (string | undefined)[];
  /** The text before, between and after the names: one more than there are names. */
  readonly literals: readonly string[];
}

/** What every key of a pattern begins and ends with, or the only text that it matches. For filters. */
export interface PatternEdges {
  readonly exact?: string;
  readonly prefix: string;
  readonly suffix: string;
}

/**
 * The pattern of a key of the table. An id followed by more text cannot contain that text's first character, so that parsing and
 * writing are exact inverses. A last id may contain any character. Ids are never empty. The pattern of a numeric key is one id
 * with its type, `{at:number}` or `{id:bigint}`, or a number.
 */
export interface KeyPattern extends Pattern {
  readonly edges: PatternEdges;
  /** What functions see of the id of a numeric key. Undefined for a key of text. */
  readonly numeric: 'number' | 'bigint' | undefined;
  /** Undefined if the key part does not match. */
  parse(part: string): Readonly<Record<string, string>> | undefined;
  /** @throws DenormError `key.unwritable` if an id is empty or the result would be parsed differently */
  write(ids: Readonly<Record<string, string | number | bigint>>): string;
}

/**
 * The pattern of a key of an index, such as `STATUS#{status}` or `{score:10}`: its names are ids and attributes. A width pads a
 * whole number with zeros, so that text sorts as numbers do.
 */
export interface IndexKeyPattern extends Pattern {
  /**
   * The key for these values.
   * @returns undefined if one of them is undefined, null or empty text: a sparse index has no such item
   * @throws DenormError `key.unwritable` if a value does not fit
   */
  write(given: (name: string) => unknown): string | undefined;
}

/** The patterns of one index's keys, as a kind declares them: one for each attribute. */
export interface IndexKeys {
  readonly pk: readonly IndexKeyPattern[];
  readonly sk: readonly IndexKeyPattern[];
}

/** @param kind for the error: it says whose key it is */
export function keyPattern(pattern: string, kind = 'a kind'): KeyPattern {
  const pieces = piecesOf(pattern);
  const { names, forms, literals } = pieces;
  const [name = ''] = names;
  const [form] = forms;
  if (pattern === `{${name}:${form}}` && (form === 'number' || form === 'bigint'))
    return numericPattern(pieces, name, form);
  const isTwice = new Set(names).size !== names.length;
  const mistake = mistakeIn(pieces, () => false) ?? (isTwice ? ': name each id once' : undefined);
  if (mistake !== undefined)
    throw new DenormError(
      'key.malformed',
      `Expected the key of ${kind} to have a pattern such as 'ORDER#{order}', or one number such as '{at:number}', got '${pattern}'${mistake}`,
    );
  const [prefix = ''] = literals;
  // An id ends where the text after it can first begin; a last id ends with the part.
  const ids = names.map((name, index) => {
    const after = literals[index + 1] ?? '';
    return { name, after, firstAfter: firstOf(after) };
  });
  return {
    ...pieces,
    edges:
      names.length === 0
        ? { exact: pattern, prefix: pattern, suffix: pattern }
        : { prefix, suffix: literals.at(-1) ?? '' },
    numeric: undefined,
    parse(part) {
      if (!part.startsWith(prefix)) return undefined;
      const found: Record<string, string> = {};
      let from = prefix.length;
      for (const { name, after, firstAfter } of ids) {
        const end = after === '' ? part.length : part.indexOf(firstAfter, from);
        if (end <= from || !part.startsWith(after, end)) return undefined;
        found[name] = part.slice(from, end);
        from = end + after.length;
      }
      return from === part.length ? found : undefined;
    },
    write(given) {
      let part = prefix;
      for (const { name, after, firstAfter } of ids) {
        const id = given[name];
        if (typeof id !== 'string')
          throw new DenormError(
            'key.unwritable',
            `Expected the id '${name}' of the key pattern '${pattern}' to be text, got ${id === undefined ? 'none' : typeOf(id)}`,
          );
        if (id === '' || (after !== '' && id.includes(firstAfter)))
          throw new DenormError(
            'key.unwritable',
            `Expected ids that fit the key pattern '${pattern}': none empty, and none that contains the first character of the text after it`,
          );
        part += id + after;
      }
      return part;
    },
  };
}

function numericPattern(pieces: Pattern, id: string, numeric: 'number' | 'bigint'): KeyPattern {
  /** No `bigint` is a fraction. */
  const fits = (part: string) => numeric === 'number' || !part.includes('.');
  return {
    ...pieces,
    edges: { prefix: '', suffix: '' },
    numeric,
    parse: (part) => (plainNumber(part) === part && fits(part) ? { [id]: part } : undefined),
    write({ [id]: given }) {
      const part = given === undefined ? undefined : plainNumber(String(given));
      if (part !== undefined && fits(part)) return part;
      throw new DenormError(
        'key.unwritable',
        `Expected the id '${id}' of the key pattern '${pieces.pattern}' to be a ${numeric === 'bigint' ? 'whole ' : ''}number of at most 38 digits, got ${given === undefined ? 'none' : typeof given === 'number' ? 'another number' : typeOf(given)}`,
      );
    },
  };
}

export function indexKeyPattern(pattern: string): IndexKeyPattern {
  const pieces = piecesOf(pattern);
  const { names, forms, literals } = pieces;
  const mistake = mistakeIn(pieces, (form) => /^[1-9]\d*$/.test(form));
  if (pattern === '' || mistake !== undefined)
    throw new DenormError(
      'key.malformed',
      `Expected an index key pattern such as 'STATUS#{status}' or '{score:10}', got '${pattern}'${mistake ?? ''}`,
    );
  return {
    ...pieces,
    write(given) {
      const values = names.map(given);
      if (values.some((value) => value === undefined || value === null || value === '')) return undefined;
      return filled(pieces, (name, index) => {
        const value = values[index];
        const width = forms[index];
        const part = width === undefined ? plainText(value) : paddedText(value, Number(width));
        const after = literals[index + 1] ?? '';
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

/** The pattern's text with another one in place of each name and its braces. */
export function filled(
  { names, literals }: Pick<Pattern, 'names' | 'literals'>,
  textFor: (name: string, index: number) => string,
): string {
  const texts = names.map((name, index) => textFor(name, index) + (literals[index + 1] ?? ''));
  return `${literals[0] ?? ''}${texts.join('')}`;
}

function piecesOf(pattern: string): Pattern {
  // After each literal, a name and its form, which is undefined for most.
  const pieces = pattern.split(/\{(\w+)(?::(\w+))?\}/);
  const [literals = [], names = [], forms = []] = [0, 1, 2].map((first) =>
    pieces.filter((_, index) => index % 3 === first),
  );
  return { pattern, names, forms, literals };
}

/** What is wrong with a pattern, and what to do, after a colon. */
function mistakeIn(
  { pattern, literals, forms }: Pattern,
  isForm: (form: string) => boolean,
): string | undefined {
  if (pattern.includes('${')) return ': write {id}, without $';
  if (/\{[^{}]*[^\w{}:][^{}]*\}/.test(pattern)) return ': a name in braces has letters, digits and _ only';
  if (/[{}]/.test(literals.join('')) || !forms.every((form) => form === undefined || isForm(form)))
    return ': close each brace, and give a name one type or width';
  return literals.slice(1, -1).includes('') ? ': put text between two names' : undefined;
}

/** Whether one text may fit both patterns, as far as their edges tell. */
export function edgesOverlap(one: PatternEdges, other: PatternEdges): boolean {
  if (one.exact !== undefined && other.exact !== undefined) return one.exact === other.exact;
  const [exact, edges] = one.exact === undefined ? [other.exact, one] : [one.exact, other];
  if (exact !== undefined) return exact.startsWith(edges.prefix) && exact.endsWith(edges.suffix);
  return (
    (one.prefix.startsWith(other.prefix) || other.prefix.startsWith(one.prefix)) &&
    (one.suffix.endsWith(other.suffix) || other.suffix.endsWith(one.suffix))
  );
}

function firstOf(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}
