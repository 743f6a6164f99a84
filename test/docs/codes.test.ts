import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${repository}${path}`, 'utf8');
const sources = globSync('src/{worker,operate}/{propagation,archive,adapters,batch,dead-letters}/**/*.ts', {
  cwd: repository,
});
const pages = ['runbook', 'rules', 'aggregates'].map((page) => read(`docs/${page}.md`)).join('\n');

/** Codes of work that is set aside or fails, by what they are about. */
const code =
  /'((?:attempts|unavailable|message|record|root|copy|rule|index|key|member|target|item)\.[a-z-]+)'/g;
const codes = new Set(sources.flatMap((path) => [...read(path).matchAll(code)].map(([, one = '']) => one)));

test.each([...codes])('a page says what to do about %s', (one) => {
  expect(pages).toContain(`\`${one}\``);
});

test('codes are found by this test', () => {
  expect(codes.size).toBeGreaterThan(15);
});
