import { describe, expect, test } from 'vitest';
import { edited, type Sources } from './edit.ts';

const sources: Sources = new Map([
  [
    'src/a.ts',
    'export function one(x: { a: number }): { b: 1 } {\n  return two(x);\n}\n\nconst two = () => 2;\n',
  ],
  [
    'src/b.ts',
    'function one() {\n  return 3;\n}\n\nclass Few {\n  #n = 1;\n  one() {\n    return two();\n  }\n}\n',
  ],
]);

describe('an edit', () => {
  test('finds its function in any file, and changes nothing else', () => {
    const change = [{ in: 'one', find: 'two(x)', replace: 'two(x.a)' }];
    const moved = new Map([['src/deep/er/c.ts', sources.get('src/a.ts') ?? '']]);

    expect(edited(sources, change)).toEqual(
      new Map([['src/a.ts', sources.get('src/a.ts')?.replace('two(x)', 'two(x.a)')]]),
    );
    expect([...edited(moved, change).keys()]).toEqual(['src/deep/er/c.ts']);
  });

  test('names a member by its class, and a constant by itself', () => {
    expect(edited(sources, [{ in: 'Few.one', find: 'two()', replace: '4' }]).get('src/b.ts')).toContain(
      'return 4;',
    );
    expect(edited(sources, [{ in: 'Few.#n', find: '1', replace: '7' }]).get('src/b.ts')).toContain('#n = 7;');
    expect(edited(sources, [{ in: 'two', find: '2', replace: '5' }]).get('src/a.ts')).toContain('() => 5;');
  });

  test('is made after the previous edit', () => {
    const twice = [
      { in: 'two', find: '2', replace: '20' },
      { in: 'two', find: '20', replace: '200' },
    ];

    expect(edited(sources, twice).get('src/a.ts')).toContain('() => 200;');
  });

  test('is refused if nothing has its name', () => {
    expect(() => edited(sources, [{ in: 'three', find: '2', replace: '5' }])).toThrow(
      'Expected a function, class, member or constant three, found none',
    );
  });

  test('is refused if its text occurs nowhere, or more than once', () => {
    expect(() => edited(sources, [{ in: 'two', find: '3', replace: '5' }])).toThrow(
      'Expected this once in two (src/a.ts), found it 0 times: 3',
    );
    expect(() => edited(sources, [{ in: 'one', find: 'return', replace: '' }])).toThrow(
      'Expected this once in one (src/a.ts, src/b.ts), found it 2 times: return',
    );
  });
});
