import { nearest } from '../basics/nearest.ts';
import type { ItemKey } from '../items/item.ts';
import type { AnyKind } from './kind.ts';

/** Stands for what differs from item to item. */
const varying = '…';

/** What is not of these separates the words of a key. */
const wordsOf = /[\p{L}\p{N}_.@+-]+/gu;

/** A word in capitals is taken for a label, as in `ORDER#17`. */
const label = /^[A-Z][A-Z_-]+$/;

/** Shapes of key parts that are longer are cut. */
const maxShapeCharacters = 80;

/**
 * The pattern that a key seems to have, such as `ORDER#… / ITEM#…`: labels, and the words of the known kinds and types. Every other
 * word may be an item's content, and is left out.
 * @param known as {@link knownWords} returns them
 */
export function keyShape({ pk, sk }: ItemKey, known: ReadonlySet<string>): string {
  return [pk, sk]
    .filter((part) => part !== '')
    .map((part) => partShape(part, known))
    .join(' / ');
}

function partShape(part: string, known: ReadonlySet<string>): string {
  // ElectroDB's keys are made of names and values: `$app#tenant_7`, `$booking_1#id_9`.
  const isNamed = part.startsWith('$');
  const shape = part.replace(wordsOf, (word, at: number) => {
    if (label.test(word) || known.has(word.toLowerCase())) return word;
    const [, name = '', rest] = /^([a-z]+_)(.*)$/i.exec(word) ?? [];
    if (rest !== undefined && (isNamed || known.has(name.toLowerCase()))) return `${name}${varying}`;
    return isNamed && at === 1 ? word : varying;
  });
  const short = oneForTimes(shape);
  return short.length <= maxShapeCharacters ? short : `${short.slice(0, maxShapeCharacters)}${varying}`;
}

/** The words of kinds' patterns, names and types, in lower case. */
export function knownWords(kinds: readonly AnyKind[]): ReadonlySet<string> {
  const texts = kinds.flatMap(({ name, type, pkPattern, skPattern }) => [
    ...[name, type ?? ''],
    ...[pkPattern, skPattern].flatMap(({ literals }) => literals),
  ]);
  return new Set(texts.flatMap((text) => (text.match(wordsOf) ?? []).map((word) => word.toLowerCase())));
}

/** A time in a key is one text. */
function oneForTimes(shape: string): string {
  return shape.replace(/…(?:[: ]…)+/g, varying);
}

/**
 * How a key differs from those of a kind that it nearly has:
 * - `case`: in upper and lower case;
 * - `separator`: in what is between words and ids;
 * - `word`: in a word, which may be misspelt;
 * - `id`: it has one id more, or one fewer.
 */
export type KeyDifference = 'case' | 'separator' | 'word' | 'id';

/**
 * @param shape of a key, as {@link keyShape} returns it
 * @param known as {@link knownWords} returns them
 */
export function keyDifference(
  shape: string,
  { pkPattern, skPattern }: Pick<AnyKind, 'pkPattern' | 'skPattern'>,
  known: ReadonlySet<string>,
): KeyDifference | undefined {
  const [pk = '', sk = ''] = [pkPattern, skPattern].map(({ literals }) => literals.join(varying));
  const own = keyShape({ pk, sk }, known);
  if (shape === own) return undefined;
  const [found, expected] = [piecesOf(shape), piecesOf(own)];
  const isBetween = sameTexts(found.between, expected.between);
  if (isBetween && onlyOneDiffers(found.words, expected.words)) return 'word';
  // Without a common word, every key would be like every other.
  if (!expected.words.some((word) => word !== varying && found.words.includes(word))) return undefined;
  if (sameTexts(found.words, expected.words)) return isBetween ? 'case' : 'separator';
  return hasOneMore(found.words, expected.words) || hasOneMore(expected.words, found.words)
    ? 'id'
    : undefined;
}

/** Words and ids in lower case, and the text before, between and after them. */
function piecesOf(shape: string) {
  const pieces = shape.toLowerCase().split(/(…|[\p{L}\p{N}.@+-]+)/u);
  return {
    words: pieces.filter((_, index) => index % 2 === 1),
    between: pieces.filter((_, index) => index % 2 === 0),
  };
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

function onlyOneDiffers(found: readonly string[], expected: readonly string[]): boolean {
  if (found.length !== expected.length) return false;
  const differing = found.flatMap((word, index) => {
    const other = expected[index] ?? '';
    return word === other ? [] : [word !== varying && other !== varying && misspells(word, other)];
  });
  return differing.length === 1 && differing[0] === true;
}

function hasOneMore(longer: readonly string[], shorter: readonly string[]): boolean {
  return (
    longer.length === shorter.length + 1 &&
    longer.some((word, index) => word === varying && sameTexts(longer.toSpliced(index, 1), shorter))
  );
}

/** Short names differ in a letter without being meant for each other: `TEAM`, `TERM`. */
const minMisspelt = 5;

/** Whether a name may be meant for another one. */
export function misspells(name: string, other: string): boolean {
  if (name.toLowerCase() === other.toLowerCase()) return true;
  return Math.max(name.length, other.length) >= minMisspelt && nearest(name, [other]) !== undefined;
}
