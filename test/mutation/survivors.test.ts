import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { sourcesIn } from '../anchors/edit.ts';
import type { Fate, Judged } from './mutant.ts';
import { compare, filesWith, listed, readList, survivorsText } from './survivors.ts';

const list = ['# Why they are harmless', '', '- `one`: `x` → `y`', '- `Few.two`: `p` → `q`'].join('\n');
const sources = new Map([
  ['src/a.ts', 'function one() {}'],
  ['src/b.ts', 'class Few { two() {} }'],
]);

describe('survivors', () => {
  test('are mutants that no test notices or reaches, listed as harmless or not', () => {
    const { known, unknown } = compare(
      [mutant('one', 'x', 'y', 'survived'), mutant('one', 'x', 'z', 'unreached')],
      list,
      sources,
    );

    expect(known).toMatchObject([{ mutant: { replacement: 'y' } }]);
    expect(unknown).toMatchObject([{ mutant: { replacement: 'z' } }]);
  });

  test('are identified by their function, whatever its file and its line breaks are', () => {
    const long = 'x'.repeat(200);
    const moved = mutant('one', `f(\n  ${long},\n  b,\n)`, '`a`', 'survived', 'src/else/where.ts');
    const cut = listed(mutant('one', `f(${long}, b)`, '`a`', 'survived').mutant);

    expect(compare([moved], cut, sources)).toMatchObject({ known: [{}], unknown: [] });
    expect(compare([moved], cut.replaceAll('`one`', '`two`'), sources)).toMatchObject({ known: [] });
    expect(
      compare([mutant('one', 'f(a, b)', 'f()', 'survived')], '- `one`: `f( a, b, )` → `f()`', sources),
    ).toMatchObject({ known: [{}] });
  });

  test('have a line each, which may give a reason', () => {
    const twice = [1, 2].map(() => mutant('one', 'x', 'y', 'survived'));

    expect(compare(twice, list, sources)).toMatchObject({ known: [{}], unknown: [{}] });
    expect(compare(twice, `${list}\n- \`one\`: \`x\` → \`y\`: both say the same`, sources)).toMatchObject({
      known: [{}, {}],
      unknown: [],
      stale: [],
    });
    expect(compare(twice.slice(1), `${list}\n${list}`, sources).stale).toEqual(['- `one`: `x` → `y`']);
  });

  test('that are listed and killed now are reported once each of their files is judged completely', () => {
    const killed = mutant('one', 'x', 'y', 'killed');
    const stale = (judged: readonly Judged[], files = sources) => compare(judged, list, files).stale;

    expect(stale([killed])).toEqual(['- `one`: `x` → `y`']);
    expect(stale([killed, mutant('one', 'x', 'z', 'untried')])).toEqual([]);
    expect(stale([killed], new Map([...sources, ['src/c.ts', 'const one = 1;']]))).toEqual([]);
  });

  test('of a removed function are reported', () => {
    expect(compare([], list, new Map([['src/a.ts', '']])).stale).toHaveLength(2);
  });

  test('are listed in one line of Markdown, which is cut if it is long', () => {
    const long = mutant('one', `f(\n  ${'x'.repeat(200)})`, '`a`', 'survived');

    expect(listed(long.mutant)).toBe(`- \`one\`: \`f( ${'x'.repeat(97)}…\` → \`\` \`a\` \`\``);
    expect(readList(listed(long.mutant))).toMatchObject([
      { within: 'one', original: `f( ${'x'.repeat(97)}…`, replacement: '`a`', reason: '' },
    ]);
  });

  test('that are not listed are shown with their file and line', () => {
    expect(survivorsText(compare([mutant('three', 'x', 'y', 'unreached', 'src/c.ts')], list, sources))).toBe(
      [
        '1 survivors, 1 of them not listed in test/mutation/survivors.md',
        '- `three`: `x` → `y` (src/c.ts:7, Any, not reached)',
      ].join('\n'),
    );
  });
});

describe('the list', () => {
  const text = readFileSync(new URL('survivors.md', import.meta.url), 'utf8');
  const survivors = readList(text);

  test('gives a reason for each survivor', () => {
    expect(survivors.length).toBe(text.split('\n').filter((line) => line.startsWith('- ')).length);
    expect(survivors.filter(({ reason }) => !/^.{15,}\.$/.test(reason))).toEqual([]);
  });

  test('names only existing functions', () => {
    const src = sourcesIn(fileURLToPath(new URL('../..', import.meta.url)), ['src']);

    expect(survivors.filter(({ within }) => filesWith(within, src).length === 0)).toEqual([]);
  });
});

function mutant(
  within: string,
  original: string,
  replacement: string,
  fate: Fate,
  file = 'src/a.ts',
): Judged {
  return { mutant: { id: '1', file, within, operator: 'Any', line: 7, original, replacement }, fate };
}
