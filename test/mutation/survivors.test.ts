import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MutantResult, Status } from './mutant.ts';
import { compare, listed, survivorsText } from './survivors.ts';

const list = ['# Why they are harmless', '', '- `one`: `x` → `y`: it is.', '- `two`: `p` → `q`: too.'].join(
  '\n',
);

describe('survivors', () => {
  test('are mutants that no test notices or reaches, listed as harmless or not, with a line each', () => {
    const twice = [1, 2].map(() => mutant('one', 'x', 'y', 'survived'));
    const { known, unknown, stale } = compare(
      [...twice, mutant('one', 'x', 'z', 'unreached'), mutant('two', 'p', 'q', 'killed')],
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

  test('that are not listed are shown with their file and line; lines of the list, once every mutant was tried', () => {
    const found = compare(
      [mutant('three', 'x', 'y', 'unreached', 'src/c.ts')],
      list.split('\n').slice(0, 3).join('\n'),
    );
    const lines = [
      '1 survivors, 1 of them not listed in test/mutation/survivors.md',
      '- `three`: `x` → `y` (src/c.ts:7, Any, not reached)',
    ];

    expect(survivorsText(found, false).split('\n')).toEqual(lines);
    expect(survivorsText(found, true).split('\n')).toEqual([
      ...lines,
      '1 that are listed there and survive no more',
      '- `one`: `x` → `y`: it is.',
    ]);
  });
});

test('the list gives a reason for each survivor', () => {
  const text = readFileSync(new URL('survivors.md', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line.startsWith('- '));

  expect(lines.filter((line) => !/^- `[^`]+`: .+ → .+`: .{15,}\.$/.test(line))).toEqual([]);
});

function mutant(
  within: string,
  original: string,
  replacement: string,
  status: Status,
  file = 'src/a.ts',
): MutantResult {
  return { mutant: { id: '1', file, within, operator: 'Any', line: 7, original, replacement }, status };
}
