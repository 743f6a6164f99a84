import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { freePort } from '../../../src/dev/local-server.ts';
import { table } from '../../../src/table.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run, startDev, until } from '../denorm.ts';

test('items that expire on `denorm dev` are proven to be archived, and can be restored', async () => {
  const cwd = newFolder();
  const port = await freePort();
  await startDev(['--port', String(port)], cwd);
  const endpoint = `http://127.0.0.1:${port}`;
  const app = new ApplicationTable(endpoint, 'app', table);
  onTestFinished(() => app.close());
  const order = { SK: 'METADATA', Type: 'Order', UserId: 'u', Status: 'DELIVERED', Total: 59.97 };
  const now = Math.floor(Date.now() / 1000);
  await app.put({ ...order, PK: 'ORDER#1', CreatedAt: '2026-01-15T10:00:00Z', ExpiresAt: now + 3 });
  await app.put({ ...order, PK: 'ORDER#2', CreatedAt: '2026-01-16T10:00:00Z', ExpiresAt: now + 86_400 });
  const second = join(cwd, '.denorm/archive/Order/ORDER%232/METADATA.json');
  await until(() => existsSync(second), 'the second order is archived');
  await until(
    async () => (await app.get({ pk: 'ORDER#1', sk: 'METADATA' })) === undefined,
    'the first order has expired',
  );
  const at = ['--endpoint', endpoint, '--state-dir', '.denorm'];

  const proven = await run(['archive', 'audit', ...at, '--grace', '2'], cwd);
  expect(proven.stdout).toMatch(
    /^1 item of app read, 1 with an expiry\n.*: 1 item ended, 0 to erase\n2 items looked at in \.denorm; found nothing: everything is archived\n$/,
  );
  expect(proven.code).toBe(0);
  const restored = await run(['archive', 'restore', '--pk', 'ORDER#', ...at], cwd);
  expect(restored.stdout).toContain('1 item restored to app; 1 skipped, because the item exists');
  await until(
    async () => (await app.get({ pk: 'ORDER#1', sk: 'METADATA' }))?.['GSI2PK'] === 'STATUS#DELIVERED',
    'the worker has brought the restored order up to date',
  );
  expect(await app.get({ pk: 'ORDER#1', sk: 'METADATA' })).not.toHaveProperty('ExpiresAt');
  expect(existsSync(join(cwd, '.denorm/restored/Order/ORDER%231/METADATA.json'))).toBe(true);
  rmSync(second, { recursive: true });
  const wrong = await run(['archive', 'audit', ...at, '--grace', '0'], cwd);
  expect(wrong.stdout).toMatch(/^missing {2}Order {2}1 item: .*\n {2}\{"PK":"ORDER#2","SK":"METADATA"\}/);
  expect(wrong.code).toBe(1);
});
