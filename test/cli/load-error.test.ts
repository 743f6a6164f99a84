import { appendFileSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

type Change = (project: string) => void;

const inConfig =
  (old: string, by: string): Change =>
  (project) =>
    edited(join(project, 'denorm.config.ts'), old, by);
const inTable =
  (text: string): Change =>
  (project) =>
    appendFileSync(join(project, 'table.ts'), text);

test.each<[string, Change, string | RegExp]>([
  ...["'./table'", "'./table.js'"].map((wrong): [string, Change, string] => [
    `it imports ${wrong}`,
    inConfig("'./table.ts'", wrong),
    `Expected imports that name the file with its extension, because Node resolves none, got ${wrong} in <project>/denorm.config.ts: write './table.ts'`,
  ]),
  [
    'it imports a folder',
    (project) => {
      appendFileSync(join(project, 'rules/index.ts'), 'export {};\n');
      inConfig("'./table.ts'", "'./rules'")(project);
    },
    /got '\.\/rules' in <project>\/denorm\.config\.ts: write '\.\/rules\/index\.ts'$/,
  ],
  [
    'it imports a file that does not exist',
    inConfig("'./table.ts'", "'./tabel.ts'"),
    'Expected a file at <project>/tabel.ts, which <project>/denorm.config.ts imports, found none: correct the import',
  ],
  [
    'it throws something else than an Error',
    inTable("\nthrow 'boom';\n"),
    "Expected the project's files to load, but one of them threw text instead of an Error: throw an Error, whose stack says where",
  ],
  [
    'it has an enum',
    inTable('export enum Colour { Red }\n'),
    /^Expected TypeScript whose types can be left out, because Node compiles nothing, got an enum in <project>\/table\.ts:\d+: write an object `as const`, or a union of literals; /,
  ],
  [
    'it has a parameter property',
    inTable('export class Named { constructor(readonly name: string) {} }\n'),
    /got a parameter property in <project>\/table\.ts:\d+: declare the property/,
  ],
  [
    'it throws, with its line: an index that the table does not have is undefined',
    inTable('\nexport const key = table.indexes.GSI9.pk;\n'),
    /^Expected the project's files to load, but <project>\/table\.ts:\d+:\d+ threw TypeError: Cannot read properties of undefined/,
  ],
  [
    'it is no TypeScript, with its file and line',
    inTable('const x = ;\n'),
    /^Expected the project's files to load, but <project>\/table\.ts:\d+ threw SyntaxError: \S.+$/,
  ],
  [
    'it imports a type as a value',
    (project) => edited(join(project, 'table.ts'), 'import type', 'import'),
    "Expected 'stream-denormalizer' to export TableNames, which <project>/table.ts:1 imports, found no such value: if it is a type, write `import type`, or `type TableNames` within the braces",
  ],
  [
    'it imports a package that is not installed',
    (project) => rmSync(join(project, 'node_modules/zod')),
    /^Expected the package 'zod', which <project>\/.+\.ts imports, in node_modules, found none: run `npm install`, or `npm install zod`$/,
  ],
])(
  'a file of a project that Node cannot run is refused with what to write instead, if %s',
  async (_, change, says) => {
    const message = await refusal(change);

    if (typeof says === 'string') expect(message).toBe(says);
    else expect(message).toMatch(says);
  },
);

function edited(path: string, old: string, by: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(old);
  writeFileSync(path, text.replace(old, by));
}
