import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { projectCopy } from '../../fixtures/application/project-copy.ts';
import type { Ran } from '../denorm.ts';

const denorm = fileURLToPath(new URL('../../../bin/denorm.mjs', import.meta.url));
const rule = 'rules/username-on-memberships.ts';

/** A project as a git repository with one commit, tagged `v1`, and functions to edit and run it. */
function repositoryOf() {
  const root = projectCopy();
  writeFileSync(join(root, '.gitignore'), 'node_modules\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      stdio: 'pipe',
    });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'one');
  git('tag', 'v1');
  return {
    root,
    git,
    edit(file: string, find: string, replace: string) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(text).toContain(find);
      writeFileSync(join(root, file), text.replace(find, replace));
    },
    rules: (...args: string[]): Ran => runIn(root, ['rules', ...args]),
  };
}

function runIn(root: string, args: readonly string[]): Ran {
  try {
    const stdout = execFileSync(process.execPath, [denorm, ...args], {
      cwd: root,
      env: { ...process.env, DENORM_CONFIG: '' },
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return { code: 0, stdout, stderr: '' };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, stdout, stderr };
  }
}

describe('denorm rules --diff', () => {
  test('reports that nothing has changed, and leaves nothing behind', () => {
    const { rules, git } = repositoryOf();
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('denorm-rules-'));
    const { code, stdout } = rules('--diff', 'v1');

    expect(stdout).toMatch(/^No field of a rule differs from v1 \([0-9a-f]{7}\)\.\nNot compared: /);
    expect(code).toBe(0);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('denorm-rules-'))).toEqual(before);
    expect(git('status', '--porcelain').toString()).toBe('');
    expect(git('worktree', 'list').toString().trim().split('\n')).toHaveLength(1);
  });

  test('reports the effect of an uncommitted change as text and as JSON', () => {
    const { rules, edit } = repositoryOf();
    edit(
      'rules/chat-items.ts',
      'role: z.string(), username',
      'role: z.string(), email: z.string(), username',
    );
    edit(rule, "copies: ['username']", "copies: ['username', 'email']");
    edit(rule, "onDelete: 'keep'", "onDelete: 'delete'");
    const text = rules('--diff', 'v1');
    const json = JSON.parse(rules('--diff', 'v1', '--json').stdout).summary;

    expect(text.stdout).toContain('  copies\n    + email\n');
    expect(text.stdout).toContain('  onDelete\n    - keep\n    + delete\n');
    expect(text.stdout).toContain('$ npx denorm backfill --rule username-on-memberships --stack <name>\n');
    expect(text.code).toBe(0);
    expect(json).toMatchObject({
      same: false,
      ref: 'v1',
      changes: [
        {
          ...{ rule: 'username-on-memberships', type: 'rule', is: 'changed', backfill: true },
          fields: { copies: { before: [], after: ['email'] } },
        },
      ],
    });
  });

  test('compares with a commit other than the last one, and reports a new rule', () => {
    const { rules, git, edit } = repositoryOf();
    edit('denorm.config.ts', '    orderOnUserOrder,\n', '');
    edit('denorm.config.ts', "import { orderOnUserOrder } from './rules/order-on-user-order.ts';\n", '');
    git('commit', '--quiet', '--all', '--message', 'without it');
    git('checkout', '--quiet', 'v1');
    const json = JSON.parse(rules('--diff', 'HEAD@{1}', '--json').stdout).summary;

    expect(json.changes).toMatchObject([{ rule: 'order-on-user-order', is: 'new', backfill: true }]);
  });
});

describe('denorm rules --diff fails in one sentence, with 2', () => {
  test('outside a git repository', () => {
    const { rules, root } = repositoryOf();
    rmSync(join(root, '.git'), { recursive: true });

    expectRefusal(
      rules('--diff', 'v1'),
      /to be in a git repository, .* refuses it \(fatal: not a git repository/,
    );
  });

  test.each([['none'], ['--upload-pack=x'], ['v1:src']])('for the invalid ref %s', (ref) => {
    const { rules } = repositoryOf();

    expectRefusal(rules(`--diff=${ref}`), /which git does not know/);
  });

  test('for a version whose rules do not load', () => {
    const { rules, git, edit } = repositoryOf();
    edit(rule, "name: 'username-on-memberships'", "name: 'order-on-user-order'");
    git('commit', '--quiet', '--all', '--message', 'broken');
    git('tag', 'broken');
    git('checkout', '--quiet', 'v1');

    expectRefusal(
      rules('--diff', 'broken'),
      /Expected the rules of broken to load, but they do not: Rule order-on-user-order/,
    );
  });

  test('for a version without rules', () => {
    const { rules, git } = repositoryOf();
    git('rm', '--quiet', '-r', '--cached', 'denorm.config.ts');
    git('commit', '--quiet', '--message', 'without rules');

    expectRefusal(rules('--diff', 'HEAD'), /rules of HEAD to load, but denorm\.config\.ts is missing/);
  });
});

function expectRefusal({ code, stderr }: Ran, why: RegExp): void {
  expect(stderr).toMatch(why);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(code).toBe(2);
}

describe('denorm rules <name>', () => {
  test('prints one rule, and compares one', () => {
    const { rules } = repositoryOf();
    const { rules: all } = JSON.parse(rules('--json').stdout).summary;
    const [{ rule: name }] = all;

    expect(rules(name).stdout).toMatch(new RegExp(`^${name}\n( {2}.*\n)+$`));
    expect(JSON.parse(rules(name, '--json').stdout).summary).toEqual({ rules: [all[0]] });
    expect(JSON.parse(rules(name, '--diff', 'v1', '--json').stdout).summary).toMatchObject({ changes: [] });
  });

  test('names the nearest rule to an unknown one', () => {
    expect(repositoryOf().rules('username-on-membership')).toEqual({
      ...{ code: 2, stdout: '' },
      stderr:
        "denorm: usage.rule: Expected the name of a rule of denorm.config.ts, got 'username-on-membership': did you mean 'username-on-memberships'?\n",
    });
  });
});
