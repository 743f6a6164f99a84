import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { projectCopy } from './project-copy.ts';
import { type Ended, shell } from './shell.ts';

/** A file, what is in it, and the mistake. */
type Edit = readonly [file: string, right: string, wrong: string];

/** `denorm check` in a copy of the blog after this edit. */
async function checked([file, right, wrong]: Edit): Promise<Ended> {
  const project = await projectCopy(inject('blog'));
  const path = join(project, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(right);
  writeFileSync(path, text.replace(right, wrong));
  return shell('node_modules/.bin/denorm check', project);
}

describe('denorm check finds', () => {
  test.each<readonly [string, Edit, RegExp]>([
    [
      'a misspelt attribute in a function',
      ['src/rules/post-on-tags.ts', 'root.published_at', 'root.publishd_at'],
      /^types {2}src\/rules\/post-on-tags\.ts:\d+ {2}TS2551: [\s\S]*\nrules .*got 'publishd_at': did you mean 'published_at'\?$/m,
    ],
    [
      'another index than the template has',
      ['src/table.ts', "name: 'by-tag'", "name: 'by-topic'"],
      /^template .*Expected template\.yaml to be what denorm\.config\.ts says/m,
    ],
    [
      'an import that Node does not resolve',
      ['denorm.config.ts', "'./src/table.ts'", "'./src/table'"],
      /^denorm: usage\.project: Expected imports that name the file .* write '\.\/src\/table\.ts'$/m,
    ],
  ])('%s', async (_, mistake, sentence) => {
    const { code, stdout, stderr } = await checked(mistake);

    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).toMatch(sentence);
  });
});
