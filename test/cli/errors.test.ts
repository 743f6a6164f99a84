import { expect, test, vi } from 'vitest';
import { reportError } from '../../src/cli/errors.ts';
import { freePort } from '../../src/dev/local-server.ts';
import { DenormError } from '../../src/model/basics/errors.ts';
import { content, tellingErrors } from '../suites/telling-errors.ts';

/** The printed text of an error. */
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

test('a DenormError is printed as its code and its message', () => {
  expect(printed(new DenormError('table.odd', 'The table is odd'))).toBe(
    'denorm: table.odd: The table is odd',
  );
});

test('a connection that was refused is reported with its address, and with what to start', async () => {
  const port = await freePort();
  const refused = await fetch(`http://127.0.0.1:${port}`).catch((error) => error.cause);

  expect(printed(refused)).toBe(
    `denorm: aws.unreachable: A request found that nothing listens at 127.0.0.1:${port}: start the service there (for a local table, \`npx denorm dev\`), or correct the endpoint (ECONNREFUSED)`,
  );
});

test('a missing file is reported in the words of Node', () => {
  const error = Object.assign(new Error("ENOENT: no such file, open 'a.json'"), { code: 'ENOENT' });

  expect(printed(error)).toContain("open 'a.json'");
});

test('an unexpected error is reported with its name and place', () => {
  expect(printed(new RangeError(content))).toMatch(
    /^denorm: An unexpected RangeError at \S+errors\.test\.ts:\d+:\d+: /,
  );
});
