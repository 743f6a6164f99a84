import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('CONTRIBUTING.md');
const versions = z.record(z.string(), z.string());
const manifest = z
  .object({
    scripts: versions,
    dependencies: versions,
    devDependencies: versions,
    optionalDependencies: versions,
  })
  .parse(JSON.parse(read('package.json')));

/** The first column of the table of dependencies: names, with `*` for any end. */
const listed = [...page.slice(page.indexOf('## Dependencies')).matchAll(/^\| (`.+?) \|/gm)].flatMap(
  ([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
);

const covers = (name: string, dependency: string) =>
  name.endsWith('*') ? dependency.startsWith(name.slice(0, -1)) : dependency === name;

describe('the page on contributing', () => {
  test('says how long each script takes, and names no other', () => {
    const chapter = page.slice(page.indexOf('## How long'), page.indexOf('## Habits'));
    const rows = [...chapter.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`npm (?:run )?([\w:-]+)/g)].map(([, script]) => script),
    );
    const named = [...page.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script);

    expect([...new Set(rows)].toSorted()).toEqual(Object.keys(manifest.scripts).toSorted());
    for (const script of named) expect(Object.keys(manifest.scripts)).toContain(script);
  });

  test('gives a reason for each dependency, and for no other', () => {
    const dependencies = Object.keys({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    });

    expect(dependencies.filter((one) => !listed.some((name) => covers(name, one)))).toEqual([]);
    expect(listed.filter((name) => !dependencies.some((one) => covers(name, one)))).toEqual([]);
  });

  test('links to existing files', () => {
    for (const [, file = ''] of page.matchAll(/\]\(([\w./-]+)\)/g)) expect(read(file)).not.toBe('');
  });
});
