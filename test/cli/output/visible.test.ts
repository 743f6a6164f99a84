import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tableOf } from '../../../src/cli/output/table.ts';
import { pairs } from '../../../src/cli/output/terminal.ts';
import { printOnlyVisible, visibleLine } from '../../../src/cli/output/visible.ts';
import { visible, word, words } from '../../../src/model/basics/text.ts';
import { controls, hostileTexts, isPrintable } from '../../fixtures/hostile-items.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...Object.values(hostileTexts), '\ud83d', '\udc3b\ud83d'),
);

describe('a text made visible', () => {
  test.each(Object.entries(controls))('is what a terminal prints: %s', (_, text) => {
    expect(isPrintable(text)).toBe(false);
    expect(isPrintable(visible(text))).toBe(true);
    expect(visible(text)).not.toContain('\n');
  });

  test('is the same text in JSON', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = visible(JSON.stringify({ [text]: text }));

        expect(isPrintable(json)).toBe(true);
        expect(JSON.parse(json)).toEqual({ [text]: text });
      }),
    );
  });

  test('keeps letters and signs of any script', () => {
    const text = 'Ünïcode §🐻 日本語 עברית "quoted" \\';

    expect(visible(text)).toBe(text);
  });
});

test('a line keeps our styles, and stays one line', () => {
  expect(visibleLine('\u001b[1mbold\u001b[22m a\r\nb\u001b[2Jc')).toBe(
    '\u001b[1mbold\u001b[22m a\\u000d\\u000ab\\u001b[2Jc',
  );
});

test.each([
  ['Title', 'Title'],
  ['ORDER#1', 'ORDER#1'],
  ['Größe', 'Größe'],
  ['', '""'],
  ['\u115f', String.raw`\u115f`],
  ['A, if it exists and B', '"A, if it exists and B"'],
  ['"', String.raw`"\""`],
  ['\u001b', String.raw`"\u001b"`],
  ['\u202e', String.raw`"\u202e"`],
])('%j in a sentence is %s', (text, shown) => {
  expect(word(text)).toBe(shown);
  expect(words([text, 'B'])).toBe(`${shown}, B`);
});

test('tables and pairs are as long as they have rows, whatever their cells hold', () => {
  const evil = Object.values(controls).join('');

  expect(isPrintable(tableOf(['a'], [[evil]]))).toBe(true);
  expect(tableOf(['a'], [[evil]]).split('\n')).toHaveLength(tableOf(['a'], [['b']]).split('\n').length);
  expect(isPrintable(pairs([[evil, evil]]))).toBe(true);
  expect(pairs([[evil, evil]])).not.toContain('\n');
});

test('a stream prints only what is visible, lines and styles, but bytes as they are', () => {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  printOnlyVisible(stream);
  stream.write('a\u001b[1m\tb\u001b[22m\r\n\u009b2J\u202e\n');
  stream.write(Buffer.from('\u001b[2K'));
  stream.write('\u0007');

  expect(written).toEqual(['a\u001b[1m\tb\u001b[22m\r\n\\u009b2J\\u202e\n', '\u001b[2K', '\\u0007']);
});
