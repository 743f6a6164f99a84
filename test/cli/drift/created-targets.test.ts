import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Attributes } from '../../deployed/application.ts';
import { seedTable } from '../../operations/seeded-table.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';

const { server } = embeddedTables();
const sale = { PK: 'SHOP#a', SK: 'SALE#1', Type: 'Sale', Day: 'mon' };
const empty = { PK: 'SHOP#a', SK: 'DAY#tue', Type: 'Day', Sales: 1 };
const monday = '{"PK":"SHOP#a","SK":"DAY#mon"}';

async function seeded(name: string, ...items: readonly Attributes[]) {
  const table = await seedTable(server().endpoint, name, items, true);
  onTestFinished(() => table.close());
  const at = ['--endpoint', table.endpoint, '--table', name, '--rcu', 'unlimited'];
  const config = ['--config', join(import.meta.dirname, 'days.config.ts')];
  return {
    size: async () => (await table.read()).size,
    on: (command: string, ...args: readonly string[]) =>
      run([command, ...config, ...at, ...args], newFolder()),
  };
}

test('missing and empty targets are listed, made and removed, each as it is allowed', async () => {
  const { on, size } = await seeded('missing-and-empty', sale, empty);

  const { stdout } = await on('verify', '--grace', '0');
  expect(stdout).toMatch(/^missing {2}sales-of-day {2}1 item: /m);
  expect(stdout).toContain(`\n  ${monday}  it has members\n`);
  expect(stdout).toContain(
    'empty  sales-of-day  1 item: a target without members, which its rule removes\n  {"PK":"SHOP#a","SK":"DAY#tue"}\n',
  );

  expect((await on('repair', '--grace', '0')).stdout).toContain('1 copy written');
  expect(await size()).toBe(3);
  expect((await on('repair', '--grace', '0', '--allow-remove')).stdout).toContain('1 removed or cleared');
  expect(await size()).toBe(2);
});

test('a backfill makes one target by its key, and all of them where there is none', async () => {
  const { on } = await seeded('without-targets', sale);
  for (const more of [['--root', monday], []]) {
    const { code, stdout } = await on('backfill', '--rule', 'sales-of-day', '--dry-run', ...more);

    expect(stdout).toContain('1 copy would be written');
    expect(code).toBe(0);
  }
});

test('a repair that makes every target there is has nothing left', async () => {
  const { on } = await seeded('no-target', sale);
  const { code, stdout } = await on('repair', '--grace', '0');

  expect(stdout).toContain('1 copy written, 0 already right; nothing left; ');
  expect(stdout).not.toContain('no item is of');
  expect(code).toBe(0);
});
