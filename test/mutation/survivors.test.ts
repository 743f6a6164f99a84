import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { definitionsOf, sourcesIn } from '../anchors/edit.ts';
import type { MutantResult, MutantStatus } from './mutant.ts';
import { compact, compare, listed, survivorsText } from './survivors.ts';

const list = ['# Why they are harmless', '', '- `one`: `x` → `y`: it is.', '- `two`: `p` → `q`: too.'].join(
  '\n',
);

describe('survivors', () => {
  test('are mutants that no test kills or covers, listed as harmless or not, with a line each', () => {
    const twice = [1, 2].map(() => mutant('one', 'x', 'y', 'survived'));
    const { known, unknown, stale } = compare(
      [...twice, mutant('one', 'x', 'z', 'not covered'), mutant('two', 'p', 'q', 'killed')],
      list,
    );

    expect(known).toHaveLength(1);
    expect(unknown).toMatchObject([{ mutant: { replacement: 'y' } }, { mutant: { replacement: 'z' } }]);
    expect(stale).toEqual(['- `two`: `p` → `q`: too.']);
  });

  test('are identified by their function, whatever their file and line breaks are', () => {
    const moved = mutant('one', 'f(\n  a,\n  b,\n)', '`a`', 'survived', 'src/else/where.ts');

    expect(compare([moved], '- `one`: `f(a, b)` → `` `a` ``: it is.').known).toHaveLength(1);
    expect(compare([moved], '- `two`: `f(a, b)` → `` `a` ``: it is.').known).toHaveLength(0);
    expect(listed(mutant('one', 'x'.repeat(200), 'y', 'survived').mutant)).toBe(
      `- \`one\`: \`${'x'.repeat(100)}…\` → \`y\``,
    );
  });

  test('that are not listed are shown with their file and line; lines of the list, once every mutant ran', () => {
    const found = compare(
      [mutant('three', 'x', 'y', 'not covered', 'src/c.ts')],
      list.split('\n').slice(0, 3).join('\n'),
    );
    const lines = [
      '1 survivors, 1 of them not listed in test/mutation/survivors.md',
      '- `three`: `x` → `y` (src/c.ts:7, Any, not covered)',
    ];

    expect(survivorsText(found, false).split('\n')).toEqual(lines);
    expect(survivorsText(found, true).split('\n')).toEqual([
      ...lines,
      '1 that are listed there and survive no more',
      '- `one`: `x` → `y`: it is.',
    ]);
  });
});

const survivors = readFileSync(new URL('survivors.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('- '));

test('the list gives a reason for each survivor', () => {
  expect(survivors.filter((line) => !/^- `[^`]+`: .+ → .+`: .{15,}\.$/.test(line))).toEqual([]);
});

test('the list names code that is there', () => {
  const sources = sourcesIn(fileURLToPath(new URL('../..', import.meta.url)), ['src']);
  const gone = survivors.filter((line) => {
    const [, within = '', quoted, plain = ''] =
      /^- `([^`]+)`: (?:`` (.+?) ``|`([^`]+)`) → /.exec(line) ?? expect.fail(line);
    const text = compact((quoted ?? plain).replace(/…$/, ''));
    return !definitionsOf(sources, within).some(({ text: file, start, end }) =>
      compact(file.slice(start, end)).includes(text),
    );
  });

  expect(gone).toEqual([]);
});

function mutant(
  within: string,
  original: string,
  replacement: string,
  status: MutantStatus,
  file = 'src/a.ts',
): MutantResult {
  return { mutant: { id: '1', file, within, operator: 'Any', line: 7, original, replacement }, status };
}
