import { describe, expect, test } from 'vitest';
import { definitionAt, definitionsIn } from './definitions.ts';

const source = `import { x } from './x.ts';
export const limit = 3;
const [a] = x;
export async function* pages(from: { at: number }): AsyncGenerator<{ n: 1 }> {
  const limit = 4;
}
export class Table<Row> {
  private readonly rows: Row[] = [];
  #open = false;
  constructor() {}
  get size(): number { return 1; }
  static of() {}
}
interface Row { limit: number }
`;

describe('definitions', () => {
  test('are functions, constants, classes and their members, at the top level of a file', () => {
    expect(definitionsIn(source).map(({ name }) => name)).toEqual([
      'limit',
      'pages',
      'Table',
      'Table.rows',
      'Table.#open',
      'Table.constructor',
      'Table.size',
      'Table.of',
    ]);
  });

  test('extend from their first word to their end', () => {
    const [limit, pages] = definitionsIn(source);

    expect(source.slice(limit?.start, limit?.end)).toBe('const limit = 3;');
    expect(source.slice(pages?.start, pages?.end)).toMatch(/^async function\* pages.*limit = 4;\n}$/s);
  });

  test('are found by a position: the innermost one', () => {
    expect(definitionAt(source, source.indexOf('4;'))).toBe('pages');
    expect(definitionAt(source, source.indexOf('return 1'))).toBe('Table.size');
    expect(definitionAt(source, source.indexOf('class Table'))).toBe('Table');
    expect(definitionAt(source, source.indexOf('import'))).toBeUndefined();
  });
});
