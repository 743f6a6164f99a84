import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { projectFolder } from '../../scripts/python-tools.ts';

const textOf = (pattern: string) =>
  globSync(pattern, { cwd: projectFolder })
    .map((path) => readFileSync(`${projectFolder}${path}`, 'utf8'))
    .join('\n');
const codesIn = (text: string, pattern: RegExp) =>
  new Set([...text.matchAll(pattern)].map(([, one = '']) => one));

/** Codes of work that is set aside or fails, by what they are about. */
const codes = codesIn(
  textOf('src/{plan,{worker,operate}/{propagation,archive,adapters,batch,dead-letters}}/**/*.ts'),
  /'((?:attempts|unavailable|message|record|root|copy|rule|index|key|member|target|item)\.[a-z-]+)'/g,
);
const said = codesIn(
  textOf('docs/*.md'),
  /`((?:rule|kind|key|root|copy|member|target|field|config)\.[a-z]+(?:-[a-z]+)*)`/g,
);

test.each([...codes])('a page says what to do about %s', (one) => {
  expect(textOf('docs/{runbook,rules,aggregates}.md')).toContain(`\`${one}\``);
});

test('the pages name no other code', () => {
  const source = textOf('src/**/*.ts');
  // Those of a root and a copy, of a member and a target are built from the word for which it is.
  const isThere = (one: string) =>
    source.includes(`'${one}'`) || new RegExp(`{(role|concerns)}[.]${one.split('.')[1]}\``).test(source);

  expect([codes.size > 15, said.size > 15]).toEqual([true, true]);
  expect([...said].filter((one) => !isThere(one))).toEqual([]);
});
