import Table from 'cli-table3';
import { styled } from './terminal.ts';
import { visible } from './visible.ts';

type Cells = readonly string[];

/**
 * A table for people, its first column the name of a row. On a terminal, without columns and rows of nothing but zeros; where it
 * is wider than that, each row is a line with its labels. Cells are values: plain text of one line.
 */
export function tableOf(head: Cells, rows: readonly Cells[]): string {
  const { columns } = process.stdout;
  if (!columns) return boxed(head, rows);
  const [zeros, others] = [rows.filter(isZeros), rows.filter((row) => !isZeros(row))];
  const isKept = (_: string, column: number) => column === 0 || others.some((row) => !isZero(row[column]));
  const kept = others.map((row) => row.filter(isKept));
  const names = head.filter(isKept);
  const table = boxed(names, kept);
  const isWide = table.indexOf('\n') > columns;
  const folded =
    zeros.length === 0 ? [] : [`only zeros: ${zeros.map(([name]) => visible(name ?? '')).join(', ')}`];
  if (others.length === 0) return folded.join('\n');
  return [...(isWide ? kept.map((row) => labelled(names, row)) : [table]), ...folded].join('\n');
}

/** A row as a line: `rule author-on-posts  copies 5, differs 2`. */
export function labelled([name = '', ...names]: Cells, [first = '', ...cells]: Cells): string {
  const texts = cells.flatMap((cell, column) => (isZero(cell) ? [] : [`${names[column]} ${visible(cell)}`]));
  return `${name} ${styled('bold', visible(first))}  ${texts.join(', ')}`;
}

function isZeros([, ...cells]: Cells): boolean {
  return cells.every(isZero);
}

function isZero(cell = ''): boolean {
  return Number(cell) === 0;
}

function boxed(head: Cells, rows: readonly Cells[]): string {
  const table = new Table({
    head: head.map((text) => styled('bold', text)),
    style: { head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => row.map(visible)));
  return table.toString();
}
