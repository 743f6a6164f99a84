import { expect, test } from 'vitest';
import { templateDiff } from '../../../src/cli/template/template-diff.ts';

test('a difference has the changed lines, removed ones first, with their place in the new text', () => {
  expect(templateDiff('a\nb\nc\nd\n', 'a\nB\nc\nd\ne\n')).toEqual({
    added: 2,
    removed: 1,
    text: '@@ line 2\n-b\n+B\n@@ line 5\n+e',
  });
});

test('a long difference is cut, and says how much is missing', () => {
  const { added, text } = templateDiff(
    '',
    Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n'),
  );

  expect(added).toBe(100);
  expect(text.split('\n')).toHaveLength(41);
  expect(text).toMatch(/\n… and \d+ more lines$/);
});
