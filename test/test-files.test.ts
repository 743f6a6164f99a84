import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import everyOther from '../vitest.config.ts';
import { suiteNames } from './suites.config.ts';
import { testFiles } from './test-files.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const own = [...testFiles.commands, ...testFiles.long];

test('a file that starts programs as a user would, or takes long, is left to a command of its own, and no file to two', () => {
  expect(testFiles.commands).toContain('test/cli/drift/drift-commands.test.ts');
  expect(new Set(own).size).toBe(own.length);
  expect(own.filter((path) => !existsSync(join(repository, path)))).toEqual([]);

  const [shared, isolated] = (everyOther.test?.projects ?? []).flatMap((project) =>
    typeof project === 'object' && 'test' in project ? [project.test ?? {}] : [],
  );
  expect(shared?.include).toEqual(['test/**/*.test.ts']);
  expect(shared?.exclude).toEqual([...testFiles.withMoreThanNpm, ...own, ...testFiles.replacingModules]);
  expect(isolated?.include).toEqual(testFiles.replacingModules);
});

test('CI runs each suite', () => {
  const ci = readFileSync(join(repository, '.ci/run'), 'utf8');
  for (const name of suiteNames.filter((one) => one !== 'sam-local'))
    expect(ci).toContain(`npm run suite ${name}`);
  expect(ci).toContain('npm run test:sam-local');
});
