import { DenormError } from './errors.ts';
import { typeOf } from './type-of.ts';

/** The names in braces of a pattern: `IdsOf<'acct_{account}#inc_{incident}'>` is `'account' | 'incident'`. */
export type IdsOf<Pattern extends string> = Pattern extends `${string}{${infer Id}}${infer Rest}`
  ? Id | IdsOf<Rest>
  : never;

/** The text with which every key of a pattern begins and ends, or the only text that it matches. For filters. */
export interface PatternEdges {
  readonly exact?: string;
  readonly prefix: string;
  readonly suffix: string;
}

/**
 * The pattern of a key part, such as `ORDER#{order}`: text, with ids in braces. An id followed by more text cannot contain
 * that text's first character, so that parsing and writing are exact inverses. A last id may contain any character. Ids
 * are never empty.
 */
export interface KeyPattern {
  readonly pattern: string;
  readonly edges: PatternEdges;
  /** The names in braces, in their order. */
  readonly ids: readonly string[];
  /** The ids in a key part; undefined if it does not match the pattern. */
  parse(part: string): Readonly<Record<string, string>> | undefined;
  /**
   * The key part for these ids.
   * @throws DenormError `key.unwritable` if an id is empty or the result would be parsed differently
   */
  write(ids: Readonly<Record<string, string>>): string;
}

export function keyPattern(pattern: string): KeyPattern {
  const pieces = pattern.split(/\{(\w+)\}/);
  const names = pieces.filter((_, index) => index % 2 === 1);
  const literals = pieces.filter((_, index) => index % 2 === 0);
  const adjacent = literals.slice(1, -1).includes('');
  if (adjacent || new Set(names).size !== names.length || /[{}]/.test(literals.join('')))
    throw new DenormError(
      'key.malformed',
      `Expected a key pattern such as 'ORDER#{order}', with each id once and text between two ids, got '${pattern}'`,
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

  function write(given: Readonly<Record<string, string>>): string {
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
  return { pattern, edges, ids: names, parse, write };
}

/** Whether some key part fits both patterns. */
export function patternsOverlap(one: string, other: string): boolean {
  const [first, second] = [tokensOf(one), tokensOf(other)];
  const seen = new Set<string>();
  const reaches = (at: number, otherAt: number): boolean => {
    const [token, otherToken] = [first[at], second[otherAt]];
    if (token === undefined || otherToken === undefined) return token === otherToken;
    const state = `${at} ${otherAt}`;
    if (seen.has(state) || !haveCommonSign(token, otherToken)) return false;
    seen.add(state);
    return nextOf(token, at).some((next) =>
      nextOf(otherToken, otherAt).some((otherNext) => reaches(next, otherNext)),
    );
  };
  return reaches(0, 0);
}

/** One character of a pattern's text, or an id of one or more characters, all but one. */
type Token = { readonly is: string } | { readonly isNot: string | undefined };

function tokensOf(pattern: string): Token[] {
  const pieces = pattern.split(/\{(\w+)\}/);
  return pieces.flatMap((piece, index): Token[] =>
    index % 2 === 0 ? [...piece].map((is) => ({ is })) : [{ isNot: [...(pieces[index + 1] ?? '')][0] }],
  );
}

function haveCommonSign(one: Token, other: Token): boolean {
  if ('is' in one) return 'is' in other ? one.is === other.is : one.is !== other.isNot;
  return 'is' in other ? other.is !== one.isNot : true;
}

/** Where a pattern goes on after one character: an id may be longer. */
function nextOf(token: Token, at: number): number[] {
  return 'is' in token ? [at + 1] : [at + 1, at];
}

/** The first character, of one or two code units. */
function firstOf(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}
