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
const minShortened = 18;

/**
 * A table for people, its first column the name of a row. Cells are values: plain text of one line. On a terminal, without columns
 * and rows of nothing but zeros, and no wider than that: heads are wrapped, then columns of `least` left out if this is enough to keep
 * the cells of the others whole. If it is not, the longest cells are shortened, then columns left out.
 * @param least names of columns that are left out sooner than a cell is shortened, in this order; the others follow from the last one on
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

function fitted(whole: Columns, least: Cells, width: number): readonly string[] {
  const named = least.filter((name) => whole.head.includes(name));
  const others = whole.head.slice(1).filter((name) => !named.includes(name));
  const ranked = [...named, ...others.toReversed()];
  function without(out: Cells, shortest: number): readonly string[] | undefined {
    const kept = withColumns(whole, (column) => !out.includes(whole.head[column] ?? ''));
    const table = narrowed(kept, width, shortest);
    const left =
      out.length === 0 ? [] : [`left out at this width: ${out.join(', ')}; a pipe or --json has all`];
    return table === undefined ? undefined : [table, ...left];
  }
  for (let count = 0; count <= named.length; count += 1) {
    let table = without(named.slice(0, count), Number.POSITIVE_INFINITY);
    if (table === undefined) continue;
    // One wide column may be all that had to go: the others come back, what matters most first.
    let out = named.slice(0, count);
    for (const name of out.toReversed()) {
      const fewer = out.filter((other) => other !== name);
      const wider = without(fewer, Number.POSITIVE_INFINITY);
      if (wider !== undefined) [out, table] = [fewer, wider];
    }
    return table;
  }
  for (const count of ranked.keys()) {
    const table = without(ranked.slice(0, count), minShortened);
    if (table !== undefined) return table;
  }
  return without(ranked, 1) ?? [];
}

/** The table at this width, if its heads and, to no less than `shortest`, its longest cells can be made short enough. */
function narrowed(table: Columns, width: number, shortest: number): string | undefined {
  const text = boxed(table);
  if (widthOf(text) <= width) return text;
  const wrapped = {
    ...table,
    head: table.head.map((name, column) => wrappedHead(name, cellWidth(table, column))),
  };
  const excess = widthOf(boxed(wrapped)) - width;
  if (excess <= 0) return boxed(wrapped);
  const widths = table.head.map((_, column) => cellWidth(table, column));
  // An id is whole, or it is none.
  const shortenable = widths.map((cells, column) => (table.head[column] === 'id' ? 0 : cells));
  const saved = (room: number) => shortenable.reduce((sum, cells) => sum + Math.max(0, cells - room), 0);
  let room = Math.max(...shortenable);
  while (room >= shortest && saved(room) < excess) room -= 1;
  if (room < shortest) return undefined;
  return boxed({
    ...wrapped,
    rows: table.rows.map((row) =>
      row.map((cell, column) => (shortenable[column] === 0 ? cell : shortened(cell, room))),
    ),
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
