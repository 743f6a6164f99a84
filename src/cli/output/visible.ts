import type { Writable } from 'node:stream';

/** What a terminal obeys, or has no sign for: controls, formats, unassigned characters, halves of characters, ends of lines. */
const invisible = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;

/** The sequences of {@link styled}. */
const style = String.raw`\u001b\[\d{1,2}m`;

const everything = new RegExp(invisible, 'gu');
const allButStyles = new RegExp(`(${style})|${invisible}`, 'gu');
const allButStylesAndLines = new RegExp(String.raw`(${style}|\r?\n|\t)|${invisible}`, 'gu');

/**
 * A text of the table, a message or a file, such that a terminal prints all of it: each character that it would obey or hide as
 * an escape of JSON, such as `\u001b`.
 */
export function visible(text: string): string {
  return text.replace(everything, escaped);
}

/** The same for a line of our own that contains such text: it stays one line, and keeps our styles. */
export function visibleLine(line: string): string {
  return line.replace(allButStyles, (sign, style?: string) => style ?? escaped(sign));
}

/** A name or a part of a key as one word of a sentence: in quotes if it contains anything but letters, digits and a few signs. */
export function word(text: string): string {
  return visible(/^[\p{L}\p{N}_.:#@$/-]+$/u.test(text) ? text : JSON.stringify(text));
}

/** Names as a list: `Title, "a name"`. */
export function words(texts: readonly string[]): string {
  return texts.map(word).join(', ');
}

/**
 * Makes a stream print escapes instead of everything but text, lines and our styles, whoever writes to it. In a text of JSON, an
 * escape means the same as the character. Bytes are printed as they are.
 */
export function printOnlyVisible(stream: Writable): void {
  const { write } = stream;
  stream.write = new Proxy(write, {
    apply: (_, self, [chunk, ...others]) =>
      Reflect.apply(write, self, [typeof chunk === 'string' ? visibleLines(chunk) : chunk, ...others]),
  });
}

function visibleLines(text: string): string {
  return text.replace(allButStylesAndLines, (sign, ours?: string) => ours ?? escaped(sign));
}

function escaped(sign: string): string {
  return sign.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
