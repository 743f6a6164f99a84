import { expect, test, vi } from 'vitest';
import { reportError } from '../../src/cli/errors.ts';
import { DenormError } from '../../src/model/errors.ts';
import { content, tellingErrors } from '../suites/telling-errors.ts';

/** What is printed of an error. */
function printed(error: unknown): string {
  const lines: string[] = [];
  const spy = vi
    .spyOn(console, 'error')
    .mockImplementation((...all: unknown[]) => void lines.push(all.join(' ')));
  reportError(error);
  spy.mockRestore();
  return lines.join('\n');
}

test.each(tellingErrors())('what is printed of an error that %s has raised quotes no item', (_, error) => {
  expect(printed(error)).toMatch(/^denorm: \S/);
  expect(printed(error)).not.toContain(content);
});

test('an error of ours is said in its own words', () => {
  expect(printed(new DenormError('table.odd', 'The table is odd'))).toBe('denorm: The table is odd');
});

test('a file that is not there is said as Node says it', () => {
  const error = Object.assign(new Error("ENOENT: no such file, open 'a.json'"), { code: 'ENOENT' });

  expect(printed(error)).toContain("open 'a.json'");
});

test('an unexpected error is said by its name and place', () => {
  expect(printed(new RangeError(content))).toMatch(
    /^denorm: An unexpected RangeError at \S+errors\.test\.ts:\d+:\d+: /,
  );
});
