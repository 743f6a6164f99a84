/** How people read numbers, names and values, in commands and on the page: without imports, because the page runs in a browser. */

/** What is obeyed, or has no sign: controls, formats, unassigned characters, halves of characters, ends of lines. */
export const invisible = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;

// Pure: the functions, which use none of it, need not spend half a millisecond of each start on it.
const everything = /* @__PURE__ */ new RegExp(invisible, 'gu');

/**
 * A text of the table, a message or a file, such that all of it is shown: each character that a terminal or a browser would obey
 * or hide as an escape of JSON, such as `\u001b`.
 */
export function visible(text: string): string {
  return text.replace(everything, escaped);
}

export function escaped(sign: string): string {
  return sign.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function number(count: number): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

/** `1 dead letter`, `2,000 dead letters`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : several}`;
}

/** A name or a part of a key as one word of a sentence: in quotes if it contains anything but letters, digits and a few signs. */
export function word(text: string): string {
  return visible(/^[\p{L}\p{N}_.:#@$/-]+$/u.test(text) ? text : JSON.stringify(text));
}

/** Names as a list: `Title, "a name"`. */
export function words(texts: readonly string[]): string {
  return texts.map(word).join(', ');
}

/** `a Comment`, `an Appointment`, `a User`, as far as the first letters tell. */
export function withArticle(name: string): string {
  return `${/^(?:[aeio]|u(?!s|ni))/i.test(name) ? 'an' : 'a'} ${name}`;
}

/** A value of DynamoDB JSON as people write it; the same text for equal values alone. The result is item content. */
export function valueText(value: unknown): string {
  return visible(plain(value));
}

function plain(value: unknown): string {
  const [type, content] = typeAndContent(value);
  const members = Array.isArray(content) ? content : [];
  if (type === 'S') return JSON.stringify(content);
  if (type === 'B') return `binary ${content}`;
  if (type === 'NULL') return 'null';
  if (type === 'L') return `[${members.map(plain).join(', ')}]`;
  // Members of a set and keys of a map come in any order.
  if (type === 'SS') {
    const texts = members.map((one) => JSON.stringify(one));
    return `set of ${texts.sort().join(', ')}`;
  }
  if (type === 'NS' || type === 'BS')
    return `set of ${type === 'BS' ? 'binary ' : ''}${members.toSorted().join(', ')}`;
  if (type !== 'M') return String(content);
  const entries = Object.entries(content ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, member]) => `${JSON.stringify(name)}: ${plain(member)}`).join(', ')}}`;
}

/** The type and the content of a value: `['S', 'Ada']`. */
export function typeAndContent(value: unknown): readonly [string, unknown] {
  return Object.entries(value ?? {})[0] ?? ['', 'missing'];
}
