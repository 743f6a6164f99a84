import type { Writable } from 'node:stream';
import { escaped, invisible } from '../../model/basics/text.ts';
import { wrapped } from './wrapped.ts';

/** The sequences of {@link styled}. */
const style = String.raw`\u001b\[\d{1,2}m`;

const allButStyles = new RegExp(`(${style})|${invisible}`, 'gu');
const allButStylesAndLines = new RegExp(String.raw`(${style}|\r?\n|\t)|${invisible}`, 'gu');

/** {@link import('../../model/basics/text.ts').visible} for a line of our own that contains other text: it stays one line, and keeps our styles. */
export function visibleLine(line: string): string {
  return line.replace(allButStyles, (sign, style?: string) => style ?? escaped(sign));
}

/**
 * Makes a stream print escapes instead of everything but text, lines and our styles, whoever writes to it. In a text of JSON, an
 * escape means the same as the character. On a terminal, lines are as wide as it is. Bytes are printed as they are.
 */
export function printOnlyVisible(stream: Writable & { readonly columns?: number }): void {
  const { write } = stream;
  stream.write = new Proxy(write, {
    apply: (_, self, [chunk, ...others]) =>
      Reflect.apply(write, self, [
        typeof chunk === 'string' ? linesFor(stream.columns, chunk) : chunk,
        ...others,
      ]),
  });
}

function linesFor(columns: number | undefined, text: string): string {
  const lines = text.replace(allButStylesAndLines, (sign, ours?: string) => ours ?? escaped(sign));
  if (!columns) return lines;
  return lines.replaceAll(/.+/g, (line) => wrapped(line, columns));
}
