import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import shipped from '../../denorm.config.ts';
import { projectStack } from '../../src/deploy/stack-template.ts';
import { everything } from '../deploy/configs.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/deploy.md');
// The template of a project has `ArchiveErase` only if a rule erases.
const defaults = z.record(z.string(), z.looseObject({ Default: z.unknown() }));
const parameters = Object.assign(
  {},
  ...[everything, shipped].map((config) => defaults.parse(projectStack({ config })['Parameters'])),
);

describe('the pages on deploying and operations', () => {
  test('name only parameters that the template has', () => {
    const named = [...`${page}${read('docs/operations.md')}`.matchAll(/`([A-Z][a-z][A-Za-z]+)=/g)].map(
      ([, name]) => name,
    );

    expect(named.length).toBeGreaterThan(5);
    for (const name of named) expect(Object.keys(parameters)).toContain(name);
  });

  test('say the defaults of the template', () => {
    const said = [
      ...page.matchAll(/^\| `(\w+)` \| `?([\d.]+|false|rate\(.+?\))`? \|/gm),
      ...page.matchAll(/`(\w+)` \(default ([\d.]+)/g),
    ];

    expect(said.length).toBeGreaterThan(1);
    for (const [, name = '', value] of said)
      expect([name, String(parameters[name]?.Default)]).toEqual([name, value]);
  });
});
