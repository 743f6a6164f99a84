import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { suiteNames } from '../suites.config.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const page = readFileSync(pathOf('CONTRIBUTING.md'), 'utf8');
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(pathOf('package.json'), 'utf8')));

const matches = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, found = '']) => found);

describe('the page on contributing', () => {
  test('names scripts and suites that exist', () => {
    const named = matches(/npm run ([\w:-]+)/g);
    const suites = matches(/npm run suite ([\w-]+)/g);

    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
    expect(suites.filter((suite) => !suiteNames.includes(suite))).toEqual([]);
  });

  test('names every suite', () => {
    const named = [...matches(/npm run suite ([\w-]+)/g), ...matches(/npm run test:([\w-]+)/g)];

    expect(suiteNames.filter((suite) => !named.includes(suite))).toEqual([]);
  });

  test('names files that exist', () => {
    const files = matches(/[` ]((?:src|test|scripts|bench|bin|handlers|init|docs)\/[\w./-]+)/g);

    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => !existsSync(pathOf(file)))).toEqual([]);
  });
});
