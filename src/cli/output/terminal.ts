import { styleText } from 'node:util';
import Table from 'cli-table3';

type Style = Parameters<typeof styleText>[0];

/** Text in a style where standard output is a terminal that shows it; plain text elsewhere. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout, validateStream: true });
}

/** A table for people: a row for each entry, long cells wrapped to the terminal's width. */
export function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  widths?: readonly number[],
): string {
  const table = new Table({
    // Where cells are wrapped, the signs that make text bold would be counted as text.
    head: head.map((text) => (widths === undefined ? styled('bold', text) : text)),
    style: { head: [], border: [], compact: true },
    ...(widths && { colWidths: [...widths], wordWrap: true, wrapOnWordBoundary: false }),
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

/** Pairs of name and value, one a line, the names aligned. */
export function pairs(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `  ${styled('dim', name.padEnd(width))}  ${value}`).join('\n');
}
