import Table from 'cli-table3';
import { visible } from '../../model/basics/text.ts';
import { styled } from './terminal.ts';
import { textWidth } from './visible.ts';

type Cells = readonly string[];

interface Columns {
  readonly head: Cells;
  readonly rows: readonly Cells[];
}

/** The shortest that a cell becomes so that its table fits the terminal. */
const minShortened = 24;

/**
 * A table for people, its first column the name of a row. Cells are values: plain text of one line. On a terminal, without columns
 * and rows of nothing but zeros, and no wider than that: heads are wrapped, the longest cells shortened, then the columns that
 * matter least left out. What is too wide even so is a line a row, with its labels.
 * @param least names of columns, the first to go first
 */
export function tableOf(head: Cells, rows: readonly Cells[], least: Cells = []): string {
  const { columns } = process.stdout;
  const shown = rows.map((row) => row.map(visible));
  if (!columns) return boxed({ head, rows: shown });
  const [zeros, others] = [shown.filter(isZeros), shown.filter((row) => !isZeros(row))];
  const kept = withColumns(
    { head, rows: others },
    (column) => column === 0 || others.some((row) => !isZero(row[column])),
  );
  const table = others.length === 0 ? [] : fitted(kept, least, columns);
  const folded = zeros.length === 0 ? [] : [`only zeros: ${zeros.map(([name]) => name).join(', ')}`];
  return [...table, ...folded].join('\n');
}

/** A row as a line: `rule author-on-posts  copies 5, differs 2`. */
export function labelled([name = '', ...names]: Cells, [first = '', ...cells]: Cells): string {
  const texts = cells.flatMap((cell, column) => (isZero(cell) ? [] : [`${names[column]} ${visible(cell)}`]));
  return `${name} ${styled('bold', visible(first))}  ${texts.join(', ')}`;
}

function fitted(whole: Columns, least: Cells, width: number): readonly string[] {
  for (let left = 0; left <= least.length; left += 1) {
    const out = least.slice(0, left).filter((name) => whole.head.includes(name));
    const kept = withColumns(whole, (column) => !out.includes(whole.head[column] ?? ''));
    const table = narrowed(kept, width);
    if (table !== undefined)
      return [table, ...(out.length === 0 ? [] : [`left out at this width: ${out.join(', ')}`])];
  }
  return whole.rows.map((row) => labelled(whole.head, row));
}

/** The table at this width, if its heads and its longest cells can be made short enough. */
function narrowed(table: Columns, width: number): string | undefined {
  const text = boxed(table);
  if (widthOf(text) <= width) return text;
  const wrapped = {
    ...table,
    head: table.head.map((name, column) => wrappedHead(name, cellWidth(table, column))),
  };
  const excess = widthOf(boxed(wrapped)) - width;
  const widths = table.head.map((_, column) => cellWidth(table, column));
  const longest = widths.indexOf(Math.max(...widths));
  const room = (widths[longest] ?? 0) - Math.max(0, excess);
  if (excess > 0 && room < minShortened) return undefined;
  return boxed({
    ...wrapped,
    rows: table.rows.map((row) => row.with(longest, shortened(row[longest] ?? '', room))),
  });
}

function withColumns({ head, rows }: Columns, isKept: (column: number) => boolean): Columns {
  const keep = (cells: Cells) => cells.filter((_, column) => isKept(column));
  return { head: keep(head), rows: rows.map(keep) };
}

function cellWidth({ rows }: Columns, column: number): number {
  return Math.max(0, ...rows.map((row) => textWidth(row[column] ?? '')));
}

function widthOf(table: string): number {
  return textWidth(table.slice(0, table.indexOf('\n')));
}

/** A name on lines as wide as its column is anyway: by its cells, or by a word. */
function wrappedHead(name: string, cells: number): string {
  const width = Math.max(cells, ...name.split(' ').map(textWidth));
  return name.replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n').trimEnd();
}

/** Beginning and end: keys of one kind begin alike. */
function shortened(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const signs = Array.from(text);
  const head = Math.ceil((width - 1) / 2);
  return `${signs.slice(0, head).join('')}…${signs.slice(head + 1 - width).join('')}`;
}

function isZeros([, ...cells]: Cells): boolean {
  return cells.every(isZero);
}

function isZero(cell = ''): boolean {
  return Number(cell) === 0;
}

/** Columns of numbers are aligned at their ends. */
function boxed({ head, rows }: Columns): string {
  const isNumeric = (column: number) => rows.every((row) => /^[\d,.]*$/.test(row[column] ?? ''));
  const table = new Table({
    head: head.map((text) => styled('bold', text)),
    style: { head: [], border: [], compact: true },
    colAligns: head.map((_, column) => (isNumeric(column) ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}
