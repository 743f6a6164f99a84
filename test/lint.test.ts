import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newFolder } from './suites/new-folder.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const statements = (count: number) => 'console.log();\n'.repeat(count);

/** What each rule that CONTRIBUTING.md relies on has to find: a rule that is set where it never runs guards nothing. */
const planted: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'lint/suspicious/noImportCycles': {
    'src/model/one.ts': "import type { Two } from './two.ts';\n\nexport type One = Two;\n",
    'src/model/two.ts': "import type { One } from './one.ts';\n\nexport type Two = One;\n",
  },
  'lint/suspicious/noExplicitAny': { 'src/any.ts': 'export const one: any = 1;\n' },
  'lint/suspicious/noFocusedTests': {
    'test/focused.test.ts': "import { test } from 'vitest';\n\ntest.only('one', () => {});\n",
  },
  'lint/suspicious/noSkippedTests': {
    'test/skipped.test.ts': "import { test } from 'vitest';\n\ntest.skip('one', () => {});\n",
  },
  'lint/suspicious/noTsIgnore': { 'src/ignored.ts': '// @ts-ignore\nexport const one = 1;\n' },
  'lint/style/noNonNullAssertion': { 'src/asserted.ts': 'export const one = [1].at(0)!;\n' },
  'lint/style/useFilenamingConvention': { 'src/twoWords.ts': 'export const one = 1;\n' },
  'lint/style/useImportType': {
    'src/typed.ts': "import { Item } from './model/item.ts';\n\nexport type One = Item;\n",
  },
  'lint/style/useNodejsImportProtocol': {
    'src/node.ts': "import { join } from 'path';\n\nexport const one = join('a');\n",
  },
  'lint/style/noExcessiveLinesPerFile': {
    'src/cli/long.ts': statements(401),
    'src/rules/long-rule.ts': statements(41),
    'handlers/long.ts': statements(41),
  },
  'lint/performance/noReExportAll': { 'src/all.ts': "export * from './model/item.ts';\n" },
  'lint/correctness/noUnusedImports': { 'src/unused.ts': "import { one } from './any.ts';\n" },
  'assist/source/organizeImports': {
    'src/unsorted.ts': "import { b } from './b.ts';\nimport { a } from './a.ts';\n\nexport { a, b };\n",
  },
  format: { 'src/formatted.ts': 'export const one = "1"\n' },
};

test('the linter finds what each rule forbids', () => {
  const folder = newFolder();
  for (const name of ['biome.json', '.gitignore']) cpSync(join(repository, name), join(folder, name));
  for (const [path, text] of Object.values(planted).flatMap((files) => Object.entries(files))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  execFileSync('git', ['init', '--quiet', folder]);
  const biome = join(repository, 'node_modules', '.bin', 'biome');

  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const [, ...args] = `${scripts.lint}`.split(' ');
  const { status, stdout } = spawnSync(biome, [...args, '--reporter=json', '--max-diagnostics=none'], {
    cwd: folder,
    encoding: 'utf8',
  });

  const found = new Set(
    JSON.parse(stdout).diagnostics.map(
      ({ category, location }: { category: string; location: { path: string } }) =>
        `${category} ${location.path}`,
    ),
  );
  const expected = Object.entries(planted).flatMap(([rule, files]) =>
    Object.keys(files).map((path) => `${rule} ${path}`),
  );
  expect([...found]).toEqual(expect.arrayContaining(expected));
  expect(status).toBe(1);
});
