import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { newFolder } from '../suites/new-folder.ts';
import { changedFiles } from './changed-files.ts';

let folder = '';

beforeEach(() => {
  folder = newFolder();
});

describe('the changed files', () => {
  test('are those that differ from the previous commit, with uncommitted ones', () => {
    git('init', '--quiet', '--initial-branch=main');
    commit('a.ts', 'b.ts');
    commit('b.ts');
    write('c.ts');

    expect(changedFiles(folder)).toEqual(['b.ts', 'c.ts']);
  });

  test('are those that differ from the commit at which the branch left origin/main, if it is not that commit', () => {
    git('init', '--quiet', '--initial-branch=main');
    commit('a.ts');
    commit('b.ts');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');

    expect(changedFiles(folder)).toEqual(['b.ts']);
    commit('c.ts');
    commit('d.ts');
    expect(changedFiles(folder)).toEqual(['c.ts', 'd.ts']);
  });

  test('are unknown in a clone without history, and outside a repository', () => {
    expect(changedFiles(folder)).toBeUndefined();
    git('init', '--quiet', '--initial-branch=main');
    commit('a.ts');

    expect(changedFiles(folder)).toBeUndefined();
  });
});

let writes = 0;

function write(name: string): void {
  writes += 1;
  writeFileSync(join(folder, name), `${writes}\n`);
}

function commit(...names: readonly string[]): void {
  for (const name of names) write(name);
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message', 'x');
}

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
}
