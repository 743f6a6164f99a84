import type { ItemKey } from './item.ts';
import type { AnyKind } from './kind.ts';

/** Stands for what differs from item to item. */
const varying = '…';

/** What is not of these separates the words of a key. */
const wordsOf = /[\p{L}\p{N}_.@+-]+/gu;

/** A word in capitals is taken for a label, as in `ORDER#17`. */
const label = /^[A-Z][A-Z_-]+$/;

/** In characters, of a key part. */
const maxShape = 80;

/**
 * The pattern that a key seems to have, such as `ORDER#… / ITEM#…`: labels, and the words of the known kinds and types. Every other
 * word may be an item's content, and is left out. @param known as {@link knownWords} returns them
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
  const short = shape.replace(/…(?:[: ]…)+/g, varying);
  return short.length <= maxShape ? short : `${short.slice(0, maxShape)}${varying}`;
}

/** The words of kinds' patterns, names and types, in lower case. */
export function knownWords(kinds: readonly AnyKind[]): ReadonlySet<string> {
  const texts = kinds.flatMap(({ name, type, pkPattern, skPattern }) => [
    ...[name, type ?? ''],
    ...[pkPattern, skPattern].flatMap(({ literals }) => literals),
  ]);
  return new Set(texts.flatMap((text) => (text.match(wordsOf) ?? []).map((word) => word.toLowerCase())));
}
