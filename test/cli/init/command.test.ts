import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { samples } from '../../../src/cli/init/project-files.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run, watched } from '../denorm.ts';

const unnamed = { DENORM_CONFIG: '' };
const init = (args: readonly string[], cwd: string) => run(['init', ...args], cwd, unnamed);

describe('denorm init', () => {
  test('makes a project in a new folder, and says how to go on', async () => {
    const folder = newFolder();

    const { code, stdout } = await init(['My App'], folder);

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `19 files in My App. Next:\n  cd "My App"\n  npm install "$(npm pack --silent ${process.cwd()})"\n  npm test\n  npx denorm dev\n`,
    });
    const project = join(folder, 'My App');
    const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'my-app', private: true, type: 'module' });
    expect(readFileSync(join(project, 'samconfig.toml'), 'utf8')).toContain('stack_name = "my-app-prod"');
    expect(readFileSync(join(project, 'template.yaml'), 'utf8')).toContain('AttributeName: ExpiresAt');
  });

  test('makes a project that runs its own tests inside another one', async () => {
    const clone = newFolder();
    writeFileSync(join(clone, 'vitest.config.ts'), 'export default { test: { include: ["theirs.ts"] } };');
    symlinkSync(join(process.cwd(), 'node_modules'), join(clone, 'node_modules'));
    await init(['my-app'], clone);
    const project = join(clone, 'my-app');
    writeFileSync(
      join(project, 'test/rules.test.ts'),
      "import { test } from 'vitest';\ntest('mine', () => {});\n",
    );

    const vitest = watched(
      spawn(process.execPath, [join(clone, 'node_modules/vitest/vitest.mjs'), 'list'], {
        ...{ cwd: project, stdio: ['ignore', 'pipe', 'pipe'] },
      }),
    );

    expect(await vitest.exited).toBe(0);
    expect(vitest.stdout().trim()).toBe('test/rules.test.ts > mine');
  });

  test('keeps databases, exports and what is built out of git', async () => {
    const folder = newFolder();
    await init([], folder);
    execFileSync('git', ['-C', folder, 'init', '--quiet']);
    for (const name of ['table.db', 'table.db-wal', 'export/data/a.json.gz', 'cdk.out/a.json', '.denorm/a'])
      expect(() => execFileSync('git', ['-C', folder, 'check-ignore', name]), name).not.toThrow();
  });

  test('makes it in the working folder beside other files, and writes the names of the table', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const names = ['--table', 'things', '--pk', 'a', '--sk', 'b', '--ttl', 'c', '--type', 'd'];

    const { code, stdout } = await init(names, folder);

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^19 files in \.\. Next:\n {2}npm install/),
    });
    const table = readFileSync(join(folder, 'src/table.ts'), 'utf8');
    for (const line of ["pk: 'a'", "sk: 'b'", "ttl: 'c'", "type: 'd'"]) expect(table).toContain(line);
    expect(readFileSync(join(folder, 'denorm.config.ts'), 'utf8')).toContain("table: 'things'");
    expect(readFileSync(join(folder, 'template.yaml'), 'utf8')).toMatch(/AttributeName: a, KeyType: HASH/);
  });

  test('writes nothing into a folder that has one of its files, and names them', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'src'));
    for (const name of ['README.md', 'src/table.ts', 'template.yaml'])
      writeFileSync(join(folder, name), 'mine');

    const { code, stderr } = await init([], folder);

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('found src/table.ts, README.md, template.yaml in '),
    });
    expect(readdirSync(folder).toSorted()).toEqual(['README.md', 'src', 'template.yaml']);
    expect(readFileSync(join(folder, 'src/table.ts'), 'utf8')).toBe('mine');
  });

  test.each([
    [['notes.txt'], /to be a folder, found a file: name another/],
    [['x', '--pk', 'SK'], /four different names in --pk, --sk, --ttl and --type, got 'SK' twice/],
    [['x', '--ttl', 'a b'], /letters, digits, hyphens and underscores/],
    [['x', '--table', 'a b'], /3 to 255 letters, digits, underscores, hyphens and dots/],
    [['x', '--sample', 'library'], /Allowed choices are incidents, chat, shop, votes/],
  ])('refuses %j', async (args, message) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'notes.txt'), 'mine');

    const { code, stderr } = await init(args, folder);

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });
});

describe('the samples', () => {
  test('are together all rules of this repository', async () => {
    const { rules, aggregates, archives } = config.registry();
    const folder = newFolder();
    const names: string[] = [];
    for (const sample of Object.keys(samples)) {
      await init([sample, '--sample', sample], folder);
      names.push(
        ...readdirSync(join(folder, sample, 'src/rules')).filter(
          (file) => !/^(chat|incident|shop|vote)-items\.ts$/.test(file),
        ),
      );
    }

    // The keys that a kind declares stand with its kind.
    const written = [...rules, ...aggregates, ...archives].filter(({ name }) => name !== 'head-to-head-keys');
    expect(names.toSorted()).toEqual(written.map(({ name }) => `${name}.ts`).toSorted());
  });
});
