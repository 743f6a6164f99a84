import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from '../cli/denorm.ts';
import { newFolder } from '../suites/new-folder.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const pages = globSync('{README.md,docs/*.md}', { cwd: repository });

/** Every command that a page tells to run, as its words; what follows `>`, `|` or `;` is the shell's. */
const commands = pages
  .flatMap((page) => [
    ...readFileSync(`${repository}${page}`, 'utf8').matchAll(/npx denorm ((?:\\\n|[^\n`#)])+)/g),
  ])
  .map(([, line = '']) =>
    [...line.replace(/ [>|;][\s\S]*$/, '').matchAll(/'[^']*'|[^\s\\]+/g)].map(([word]) => word),
  );

const byName = Map.groupBy(commands, ([first = '', second = '']) =>
  ['dlq', 'archive'].includes(first) ? `${first} ${second}` : first,
);

test('the pages name commands', () => {
  expect(byName.size).toBeGreaterThan(15);
});

test.each([...byName])('the pages name only options that `denorm %s` has', async (name, said) => {
  const { code, stdout } = await run([...name.split(' '), '--help'], newFolder());

  expect(code).toBe(0);
  for (const option of said.flat().filter((word) => /^--\w/.test(word)))
    expect(stdout).toContain(option.replace(/[=,.;:)]+.*$/, ''));
});
