import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** The chapter that follows one change, and the files in its table. */
const route = page.slice(page.indexOf('## Follow one change'), page.indexOf('## Run one test'));
const path = [...route.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = '']) => file);

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

  test('names the files that a change passes, each after a file that imports it', () => {
    const [first = '', ...others] = path;

    expect(first).toBe('handlers/propagate.ts');
    expect(others.length).toBeGreaterThan(20);
    for (const [at, file] of others.entries())
      expect([first, ...others.slice(0, at)].flatMap(importsOf), file).toContain(file);
  });

  test('names every file of src/worker/propagation and src/worker/batch that the handler loads', () => {
    const loaded = new Set(['handlers/propagate.ts']);
    for (const file of loaded) for (const imported of importsOf(file)) loaded.add(imported);
    const own = [...loaded].filter((file) => /^src\/worker\/(propagation|batch)\//.test(file));

    expect(own.length).toBeGreaterThan(10);
    expect(own.filter((file) => !route.includes(file.replace(/^.*\//, '')))).toEqual([]);
  });
});

/** The files that a module imports while it runs, not only for their types. */
function importsOf(file: string): string[] {
  return [...read(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm)].flatMap(
    ([, from = '']) => {
      if (from === 'stream-denormalizer/lambda') return ['src/worker/lambda/index.ts'];
      return from.startsWith('.') ? [join(dirname(file), from)] : [];
    },
  );
}
