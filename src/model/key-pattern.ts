import { plainNumber } from './decimal.ts';
import { DenormError } from './errors.ts';
import { typeOf } from './type-of.ts';

/**
 * The names in braces of a pattern: `IdsOf<'acct_{account}#inc_{incident}'>` is `'account' | 'incident'`. The name of a number
 * keeps its type: `IdsOf<'{at:number}'>` is `'at:number'`.
 */
export type IdsOf<Pattern extends string> = Pattern extends `${string}{${infer Id}}${infer Rest}`
  ? Id | IdsOf<Rest>
  : never;

/** What every key of a pattern begins and ends with, or the only text that it matches. For filters. */
export interface PatternEdges {
  readonly exact?: string;
  readonly prefix: string;
  readonly suffix: string;
}

/**
 * Such as `ORDER#{order}`. An id followed by more text cannot contain that text's first character, so that parsing and writing
 * are exact inverses. A last id may contain any character. Ids are never empty. The pattern of a numeric key is one id with its
 * type, `{at:number}` or `{id:bigint}`, or a number.
 */
export interface KeyPattern {
  readonly pattern: string;
  readonly edges: PatternEdges;
  readonly ids: readonly string[];
  /** What functions see of the id of a numeric key. Undefined for a key of text. */
  readonly numeric: 'number' | 'bigint' | undefined;
  /** Undefined if the key part does not match. */
  parse(part: string): Readonly<Record<string, string>> | undefined;
  /** @throws DenormError `key.unwritable` if an id is empty or the result would be parsed differently */
  write(ids: Readonly<Record<string, string | number | bigint>>): string;
}

/** @param kind for the error: it says whose key it is */
export function keyPattern(pattern: string, kind = 'a kind'): KeyPattern {
  const [, numericId, type] = /^\{(\w+):(number|bigint)\}$/.exec(pattern) ?? [];
  if (numericId !== undefined) return numericPattern(pattern, numericId, type === 'number' ? type : 'bigint');
  const pieces = pattern.split(/\{(\w+)\}/);
  const names = pieces.filter((_, index) => index % 2 === 1);
  const literals = pieces.filter((_, index) => index % 2 === 0);
  const isTwice = new Set(names).size !== names.length;
  const mistake = mistakeIn(pattern, literals) ?? (isTwice ? ': name each id once' : undefined);
  if (mistake !== undefined)
    throw new DenormError(
      'key.malformed',
      `Expected the key of ${kind} to have a pattern such as 'ORDER#{order}', or one number such as '{at:number}', got '${pattern}'${mistake}`,
    );
  const [first = ''] = literals;
  // An id ends where the text after it can first begin; a last id ends with the part.
  const ids = names.map((name, index) => {
    const after = literals[index + 1] ?? '';
    return { name, after, firstAfter: firstOf(after) };
  });

  function parse(part: string): Readonly<Record<string, string>> | undefined {
    if (!part.startsWith(first)) return undefined;
    const found: Record<string, string> = {};
    let from = first.length;
    for (const { name, after, firstAfter } of ids) {
      const end = after === '' ? part.length : part.indexOf(firstAfter, from);
      if (end <= from || !part.startsWith(after, end)) return undefined;
      found[name] = part.slice(from, end);
      from = end + after.length;
    }
    return from === part.length ? found : undefined;
  }

  function write(given: Readonly<Record<string, string | number | bigint>>): string {
    let part = first;
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
  }

  const edges =
    names.length === 0
      ? { exact: pattern, prefix: pattern, suffix: pattern }
      : { prefix: first, suffix: literals.at(-1) ?? '' };
  return { pattern, edges, ids: names, numeric: undefined, parse, write };
}

function numericPattern(pattern: string, id: string, numeric: 'number' | 'bigint'): KeyPattern {
  /** No `bigint` is a fraction. */
  const fits = (part: string) => numeric === 'number' || !part.includes('.');
  return {
    ...{ pattern, numeric, edges: { prefix: '', suffix: '' }, ids: [id] },
    parse: (part) => (plainNumber(part) === part && fits(part) ? { [id]: part } : undefined),
    write({ [id]: given }) {
      const part = given === undefined ? undefined : plainNumber(String(given));
      if (part !== undefined && fits(part)) return part;
      throw new DenormError(
        'key.unwritable',
        `Expected the id '${id}' of the key pattern '${pattern}' to be a ${numeric === 'bigint' ? 'whole ' : ''}number of at most 38 digits, got ${given === undefined ? 'none' : typeof given === 'number' ? 'another number' : typeOf(given)}`,
      );
    },
  };
}

/** What is wrong with a pattern, and what to do, after a colon. @param literals the text around its names */
export function mistakeIn(pattern: string, literals: readonly string[]): string | undefined {
  if (pattern.includes('${')) return ': write {id}, without $';
  if (/\{[^{}]*[^\w{}:][^{}]*\}/.test(pattern)) return ': a name in braces has letters, digits and _ only';
  if (/[{}]/.test(literals.join(''))) return ': close each brace, and give a name one type or width';
  return literals.slice(1, -1).includes('') ? ': put text between two names' : undefined;
}

/** As far as their edges tell. */
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
