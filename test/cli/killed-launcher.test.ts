import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../suites/new-folder.ts';
import { type Denorm, isAlive, start, until } from './denorm.ts';
import { embeddedTables } from './embedded-tables.ts';
import { membership, user } from './items.ts';

const { newTable } = embeddedTables();

/** The process in which a command works, below the one that a shell has started. */
function childOf({ process: { pid } }: Denorm): number {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid'], { encoding: 'utf8' }).split('\n');
  const [child] = lines.flatMap((line) =>
    line.trim().endsWith(` ${pid}`) ? [Number.parseInt(line, 10)] : [],
  );
  return child ?? 0;
}

test('repair stops where it is when its launcher is killed, and leaves a resume point', async () => {
  const users = Array.from({ length: 300 }, (_, n) => [
    { ...user, PK: `USER#${n}`, userId: String(n) },
    { ...membership, PK: `SERVER#${n}`, SK: `USER#${n}`, userId: String(n), GSI1PK: `USER#${n}` },
  ]);
  const { at, application } = await newTable(users.flat());
  const cwd = newFolder();
  const repair = start(['repair', ...at, '--grace', '0', '--rcu', '20'], cwd);
  const changed = async () => {
    const read = users.map(([, { PK, SK } = membership]) => application.get({ pk: PK, sk: SK }));
    return (await Promise.all(read)).filter((item) => item?.['username'] === user.username).length;
  };
  await until(async () => (await changed()) > 0, 'a first write');

  const child = childOf(repair);
  repair.process.kill('SIGKILL');
  await until(() => !isAlive(child), 'the end of the process that writes');

  await repair.exited;
  const left = await changed();
  expect(left).toBeLessThan(users.length);
  expect(
    readdirSync(join(cwd, '.denorm'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile()),
  ).not.toEqual([]);
  expect(repair.stdout() + repair.stderr()).toContain('--resume');
});

test('a command that nothing interrupts ends when its launcher is killed', async () => {
  const check = start(['check'], newFolder());
  await until(() => childOf(check) > 0, 'its process');
  const child = childOf(check);
  check.process.kill('SIGKILL');
  await until(() => !isAlive(child), 'its end');
  expect(check.stdout()).toBe('');
});
