import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Fate, Judged } from './mutant.ts';
import { compare, listed, survivorsText } from './survivors.ts';

const list = ['# Why they are harmless', '', '- `src/a.ts`: `x` → `y`', '- `src/b.ts`: `p` → `q`'].join('\n');

describe('survivors', () => {
  test('are those that nothing noticed or reaches, listed as harmless or not', () => {
    const { known, unknown } = compare(
      [mutant('src/a.ts', 'x', 'y', 'survived'), mutant('src/a.ts', 'x', 'z', 'unreached')],
      list,
    );

    expect(known).toMatchObject([{ mutant: { replacement: 'y' } }]);
    expect(unknown).toMatchObject([{ mutant: { replacement: 'z' } }]);
  });

  test('take a line each, and may have a reason of their own', () => {
    const twice = [1, 2].map(() => mutant('src/a.ts', 'x', 'y', 'survived'));

    expect(compare(twice, list)).toMatchObject({ known: [{}], unknown: [{}] });
    expect(compare(twice, `${list}\n- \`src/a.ts\`: \`x\` → \`y\`: both say the same`)).toMatchObject({
      known: [{}, {}],
      unknown: [],
      stale: [],
    });
    expect(compare(twice.slice(1), `${list}\n${list}`).stale).toEqual(['- `src/a.ts`: `x` → `y`']);
  });

  test('that are listed and survive no more are told, where their file was judged in full', () => {
    expect(compare([mutant('src/a.ts', 'x', 'y', 'killed')], list).stale).toEqual([
      '- `src/a.ts`: `x` → `y`',
    ]);
    expect(
      compare([mutant('src/a.ts', 'x', 'y', 'killed'), mutant('src/a.ts', 'x', 'z', 'untried')], list).stale,
    ).toEqual([]);
  });

  test('are listed in one line of Markdown, long ones cut', () => {
    const long = mutant('src/a.ts', `f(\n  ${'x'.repeat(200)})`, '`a`', 'survived');

    expect(listed(long.mutant)).toBe(`- \`src/a.ts\`: \`f( ${'x'.repeat(97)}…\` → \`\` \`a\` \`\``);
  });

  test('that are not listed are shown with their line', () => {
    expect(survivorsText(compare([mutant('src/c.ts', 'x', 'y', 'unreached')], list))).toBe(
      [
        '1 survivors, 1 of them not listed in docs/mutation.md',
        '- `src/c.ts`: `x` → `y` (line 7, Any, not reached)',
      ].join('\n'),
    );
  });
});

test('the list says of each survivor why it is harmless', () => {
  const list = readFileSync(new URL('../../docs/mutation.md', import.meta.url), 'utf8');
  const lines = list.split('\n').filter((line) => line.startsWith('- `src/'));

  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => !/ → (`` .* ``|`[^`]*`): .{20,}\.$/.test(line))).toEqual([]);
});

function mutant(file: string, original: string, replacement: string, fate: Fate): Judged {
  return { mutant: { id: '1', file, operator: 'Any', line: 7, original, replacement }, fate };
}
