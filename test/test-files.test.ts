import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import everyOther from '../vitest.config.ts';
import { testFiles } from './test-files.ts';
import commands from './vitest.cli.config.ts';
import long from './vitest.long.config.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const own = [...testFiles.commands, ...testFiles.long];

test('a file that starts programs as a user would, or takes long, is left to a command of its own, and no file to two', () => {
  expect(testFiles.commands).toContain('test/cli/drift/drift-commands.test.ts');
  expect(new Set(own).size).toBe(own.length);
  expect(own.filter((path) => !existsSync(join(repository, path)))).toEqual([]);

  expect(commands.test?.include).toEqual(testFiles.commands);
  expect(long.test?.include).toEqual(testFiles.long);
  const [shared, isolated] = (everyOther.test?.projects ?? []).flatMap((project) =>
    typeof project === 'object' && 'test' in project ? [project.test ?? {}] : [],
  );
  expect(shared?.include).toEqual(['test/**/*.test.ts']);
  expect(shared?.exclude).toEqual([...testFiles.withMoreThanNpm, ...own, ...testFiles.replacingModules]);
  expect(isolated?.include).toEqual(testFiles.replacingModules);
});

test('CI runs each of these commands', () => {
  const ci = readFileSync(join(repository, '.ci/run'), 'utf8');
  const suites = [...ci.matchAll(/^suite "[^"]+" npm (?:run )?(\S+)/gm)].map(([, name]) => name);
  expect(suites).toEqual(expect.arrayContaining(['test', 'test:cli', 'test:long']));
});
