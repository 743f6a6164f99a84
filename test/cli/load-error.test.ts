import { appendFileSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectCopy } from '../fixtures/application/project-copy.ts';
import { run } from './denorm.ts';

/** The message of `denorm rules` in a project after a change of its files. */
async function refusal(change: (project: string) => void): Promise<string> {
  const project = realpathSync(projectCopy());
  change(project);
  const { code, stdout, stderr } = await run(['rules'], project, { DENORM_CONFIG: '' });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  return stderr.replaceAll(project, '<project>').replace('denorm: usage.project: ', '').trimEnd();
}

describe('a file of a project that Node cannot run is refused with what to write instead', () => {
  test.each([
    ["'./table'", "'./table.ts'"],
    ["'./table.js'", "'./table.ts'"],
  ])('if it imports %s', async (wrong, right) => {
    expect(await refusal((project) => edited(join(project, 'denorm.config.ts'), right, wrong))).toBe(
      `Expected imports that name the file with its extension, because Node resolves none, got ${wrong} in <project>/denorm.config.ts: write ${right}`,
    );
  });

  test('if it imports a folder', async () => {
    const message = await refusal((project) => {
      appendFileSync(join(project, 'rules/index.ts'), 'export {};\n');
      edited(join(project, 'denorm.config.ts'), "'./table.ts'", "'./rules'");
    });

    expect(message).toMatch(
      /got '\.\/rules' in <project>\/denorm\.config\.ts: write '\.\/rules\/index\.ts'$/,
    );
  });

  test('if it imports a file that does not exist', async () => {
    expect(
      await refusal((project) => edited(join(project, 'denorm.config.ts'), "'./table.ts'", "'./tabel.ts'")),
    ).toBe(
      'Expected a file at <project>/tabel.ts, which <project>/denorm.config.ts imports, found none: correct the import',
    );
  });

  test('if it throws something else than an Error', async () => {
    expect(await refusal((project) => appendFileSync(join(project, 'table.ts'), "\nthrow 'boom';\n"))).toBe(
      "Expected the project's files to load, but one of them threw text instead of an Error: throw an Error, whose stack says where",
    );
  });

  test('if it has an enum', async () => {
    expect(
      await refusal((project) => appendFileSync(join(project, 'table.ts'), 'export enum Colour { Red }\n')),
    ).toMatch(
      /^Expected TypeScript whose types can be left out, because Node compiles nothing, got an enum in <project>\/table\.ts:\d+: write an object `as const`, or a union of literals; /,
    );
  });

  test('if it has a parameter property', async () => {
    const line = 'export class Named { constructor(readonly name: string) {} }\n';

    expect(await refusal((project) => appendFileSync(join(project, 'table.ts'), line))).toMatch(
      /got a parameter property in <project>\/table\.ts:\d+: declare the property/,
    );
  });

  test('if it throws, with its line: an index that the table does not have is undefined', async () => {
    const message = await refusal((project) =>
      appendFileSync(join(project, 'table.ts'), '\nexport const key = table.indexes.GSI9.pk;\n'),
    );

    expect(message).toMatch(
      /^Expected the project's files to load, but <project>\/table\.ts:\d+:\d+ threw TypeError: Cannot read properties of undefined/,
    );
  });

  test('if it is no TypeScript, with its file and line', async () => {
    expect(await refusal((project) => appendFileSync(join(project, 'table.ts'), 'const x = ;\n'))).toMatch(
      /^denorm: file:.*table\.ts:\d+: .+$/,
    );
  });

  test('if it imports a type as a value', async () => {
    const message = await refusal((project) => edited(join(project, 'table.ts'), 'import type', 'import'));

    expect(message).toBe(
      "Expected 'stream-denormalizer' to export TableNames, which <project>/table.ts:1 imports, found no such value: if it is a type, write `import type`, or `type TableNames` within the braces",
    );
  });

  test('if it imports a package that is not installed', async () => {
    expect(await refusal((project) => rmSync(join(project, 'node_modules/zod')))).toMatch(
      /^Expected the package 'zod', which <project>\/.+\.ts imports, in node_modules, found none: run `npm install`, or `npm install zod`$/,
    );
  });
});

function edited(path: string, old: string, by: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(old);
  writeFileSync(path, text.replace(old, by));
}
