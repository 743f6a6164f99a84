import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { standardNames } from '../../src/cli/init/names.ts';
import { projectFiles } from '../../src/cli/init/project-files.ts';

const project = projectFiles({ name: 'app', sample: undefined, names: standardNames });
const manifest = project.get('package.json') ?? '{}';
const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(manifest));

/** Pages for those who use the package; the others are about this repository. */
test.each([
  ...['aggregates', 'archive', 'deploy', 'existing-stacks', 'operations', 'reading', 'recipes', 'rules'],
  ...['runbook', 'upgrading'],
])('docs/%s.md names no script of npm that a project does not have', (page) => {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  const named = [...text.matchAll(/\bnpm (?:run )?(?!ci\b|install\b|i\b|update\b)([a-z:-]+)/g)].map(
    ([, name = '']) => name,
  );

  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});
