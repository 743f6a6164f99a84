import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeExport } from '../../../scripts/make-export.ts';
import { chat, incidents, shop, votes } from '../../fixtures/pull/applications.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';

const tables = embeddedTables();
const unnamed = { DENORM_CONFIG: '' };
const pull = (args: readonly string[], cwd: string) => run(['pull', ...args], cwd, unnamed);

/** Lets a project that was written find its packages, which are this repository's, and its types their sources. */
function installed(project: string): string {
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, '@types'), { recursive: true });
  symlinkSync(process.cwd(), join(modules, 'stream-denormalizer'), 'junction');
  for (const name of ['zod', 'typescript', 'vitest', '@types/node'])
    symlinkSync(join(process.cwd(), 'node_modules', name), join(modules, name), 'junction');
  const file = join(project, 'tsconfig.json');
  const { compilerOptions, ...others } = JSON.parse(readFileSync(file, 'utf8'));
  const customConditions = ['stream-denormalizer-source'];
  writeFileSync(
    file,
    JSON.stringify({ compilerOptions: { ...compilerOptions, customConditions }, ...others }),
  );
  return project;
}

describe('denorm pull', () => {
  test('writes a project whose types are right, and whose rules denorm verify proves', async () => {
    const items = [...chat(), ...incidents(), ...shop(), ...votes()];
    const { name, at, refuseWrites } = await tables.newTable(items);
    const { at: readOnly, refused } = await refuseWrites();
    const folder = newFolder();

    const { code, stdout, stderr } = await pull(['My App', ...readOnly], folder);

    expect({ code, stderr, refused }).toEqual({ code: 0, stderr: '', refused: [] });
    expect(stdout).toContain(
      `${items.length} items of table ${name}: 12 kinds, 3 rules, 1 more in comments of src/rules.ts\n`,
    );
    expect(stdout).toContain(`19 files in My App. Next:\n  cd "My App"\n  npm install `);
    expect(stdout).toContain(`\n  npx denorm check --table ${name} --endpoint `);
    const project = installed(join(folder, 'My App'));
    expect(readFileSync(join(project, 'src/table.ts'), 'utf8')).toContain(
      "GSI3: { name: 'GSI3', pk: 'GSI3PK', sk: 'GSI3SK', projection: 'ALL' },",
    );
    expect(await run(['check', ...at], project, unnamed)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(': 0 findings\n'),
    });
    expect(
      await run(['verify', ...at, '--rcu', 'unlimited', '--grace', '0'], project, unnamed),
    ).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(' items read; found nothing; '),
    });
  }, 90_000);

  test('writes code whose types are right, whatever kinds and attributes are called', async () => {
    const names = ["it's", 'a-b', '*/ throw 1', 'new\nline', 'default', 'ids', 'class', '`a$`'];
    const attributes = (n: number) => Object.fromEntries(names.map((name) => [name, `${name} ${n}`]));
    const items = Array.from({ length: 6 }, (_, n) => [
      { PK: `CLASS#${n}`, SK: 'X', Type: 'Class', new: `k${n}`, ...attributes(n) },
      {
        PK: `PUPIL#${n}`,
        SK: 'X',
        Type: 'fun ction',
        'class-id': `${n}`,
        GSI1PK: `CLASS#${n}`,
        GSI1SK: 'X',
        ...attributes(n),
      },
      {
        PK: `NEW#k${n}`,
        SK: `X#${n}`,
        Type: 'copy',
        classId: n,
        ...(n > 0 && { note: 7, map: { a: n } }),
        ...attributes(n),
      },
    ]).flat();
    const { at } = await tables.newTable(items);
    const project = newFolder();
    await pull(['.', ...at], project);

    const { code, stdout } = await run(['check', ...at], installed(project), unnamed);

    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(': 0 findings\n') });
    const rules = readFileSync(join(project, 'src/rules.ts'), 'utf8');
    expect(rules).toContain(
      "copies: ['*/ throw 1', '`a$`', 'a-b', 'class', 'default', 'it\\'s', 'new\\nline'],",
    );
  }, 90_000);

  test('asks a large table for roots that its sample lacks', async () => {
    const users = Array.from({ length: 300 }, (_, n) => [
      { PK: `USER#${n}`, SK: 'USER', Type: 'User', name: `Person ${n}` },
      {
        PK: `POST#${(n * 7) % 300}`,
        SK: 'POST',
        Type: 'Post',
        GSI1PK: `USER#${n}`,
        GSI1SK: 'POST',
        userId: `${n}`,
        userName: `Person ${n}`,
      },
    ]).flat();
    const { at } = await tables.newTable(users);
    const folder = newFolder();
    await pull(['.', ...at, '--items', '60'], folder);

    expect(readFileSync(join(folder, 'src/rules.ts'), 'utf8')).toContain("name: 'user-on-post',");
  });

  test('reads an export, and is what init --from does', async () => {
    const folder = newFolder();
    makeExport(join(folder, 'export'), 500);
    const { stdout } = await pull(['a', '--export', 'export'], folder);
    const init = await run(['init', 'b', '--from', './export'], folder, unnamed);

    expect(stdout).toContain('500 items of the export export: 2 kinds, 1 rule, 0 more');
    expect(stdout).toContain(
      '  npx denorm dev --import ../export --db-path table.db   # and, beside it:\n  npx denorm check --stage dev\n',
    );
    expect(init.code).toBe(0);
    for (const file of ['src/table.ts', 'src/rules.ts', 'denorm.config.ts'])
      expect(readFileSync(join(folder, 'b', file), 'utf8')).toBe(
        readFileSync(join(folder, 'a', file), 'utf8'),
      );
  });

  test('says that it cannot know of copies if no item read repeats another', async () => {
    const { at } = await tables.newTable(votes());
    const folder = newFolder();

    expect(await pull(['.', ...at], folder)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /whether copies exist is not known\. Read more --items\n18 files [\s\S]+npx denorm template /,
      ),
    });
  });

  test.each([
    ['neither table nor export', [], /usage\.table: Expected --table NAME or --export FOLDER, got neither/],
    [
      'a table of the worker’s own items',
      undefined,
      /usage\.empty: Expected items in table app-\d+, found none/,
    ],
    [
      'a folder without an export',
      ['--export', 'none'],
      /import\.refused: Expected none to be the folder of a finished export/,
    ],
    [
      'an export of another format',
      ['--export', 'ion'],
      /import\.refused: Expected a full export in the format DYNAMODB_JSON, found FULL_EXPORT in ION/,
    ],
    ['a folder with one of the files', ['--export', 'export'], /usage\.folder: .+ found package\.json in /],
    [
      'keys that an export does not show',
      ['x', '--export', 'export', '--pk', 'email', '--no-sk'],
      /table\.keys: Expected/,
    ],
  ])('refuses %s', async (_, args, message) => {
    const folder = newFolder();
    makeExport(join(folder, 'export'), 10);
    mkdirSync(join(folder, 'ion'));
    const summary = { exportType: 'FULL_EXPORT', outputFormat: 'ION', itemCount: 1 };
    writeFileSync(join(folder, 'ion/manifest-summary.json'), JSON.stringify(summary));
    const isThere = args?.[1] === 'export';
    if (isThere) writeFileSync(join(folder, 'package.json'), '{}');
    const given = args ?? (await tables.newTable([{ PK: '~denorm#PAUSES', SK: 'PAUSES' }])).at;

    const { code, stderr } = await pull(given, folder);

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
    expect(readdirSync(folder).toSorted()).toEqual(['export', 'ion', ...(isThere ? ['package.json'] : [])]);
  });

  test('refuses a table that does not exist, and --from beside --table', async () => {
    const endpoint = tables.server().endpoint;

    expect(await pull(['x', '--table', 'nowhere', '--endpoint', endpoint], newFolder())).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('table.unknown: Expected a table called nowhere') },
    });
    const nowhere = ['init', 'x', '--from', 'nowhere', '--endpoint', endpoint];
    expect((await run(nowhere, newFolder(), unnamed)).stderr).toMatch(
      /no folder nowhere with an export exists, so it is taken for a table\n.*Expected a table called nowhere/,
    );
    const folder = newFolder();
    expect(await run(['init', 'x', '--from', 'app', '--table', 'other'], folder, unnamed)).toMatchObject({
      ...{
        code: 2,
        stderr: expect.stringContaining('usage.from: Expected --from alone, got it with --table'),
      },
    });
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });
});
