import type { Writable } from 'node:stream';
import { Help } from 'commander';
import { escaped, invisible } from '../../model/basics/text.ts';

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

const helper = Object.assign(new Help(), { minWidthToWrap: 20 });

/** JSON, tables and commands to paste: a line break would make them something else. */
const whole = /^\s*(\$ |export |sam local |["{[\]}┌│├└])/;

/** A key with text behind it. */
const keyed = /^ *\{"\S*\}[, ] /;

/** The words before a first gap of two spaces, and the gap; styles may be in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const label = /^ *(?:\S+ )*?\S+ {2,}(?:\u001b\[\d{1,2}m *)*/;

/** Before a line break that was a gap; styles may be behind them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const blanks = / +((?:\u001b\[\d{1,2}m)*)\n/g;

export function textWidth(text: string): number {
  return helper.displayWidth(text);
}

/** A line of at most this width: wrapped at words, and indented to the text behind its label if every word fits there. */
export function wrapped(line: string, width: number): string {
  if (textWidth(line) <= width || (whole.test(line) && !keyed.test(line))) return line;
  const [labelled = ''] = label.exec(line) ?? [];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const besides = textWidth(labelled);
  const longest = Math.max(...line.slice(labelled.length).split(/\s+/).map(textWidth));
  const isLabelled = besides > 0 && besides <= width / 2 && besides + longest <= width;
  const lead = isLabelled ? labelled : indent;
  const hanging = isLabelled ? besides : Math.min(textWidth(indent), width / 2) + 2;
  const lines = helper.boxWrap(line.slice(lead.length), width - hanging).split('\n');
  return lead + lines.join(`\n${' '.repeat(hanging)}`).replaceAll(blanks, '$1\n');
}

/** Puts each paragraph of a text on one line, which a terminal wraps. Indented lines stay lines. */
export function paragraphs(text: string): string {
  if (!process.stdout.columns) return text;
  return text.replaceAll(/(?<=[^\s:])\n(?=[^\s$])/g, ' ');
}
