import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { table } from '../../../src/table.ts';
import { openedAddress } from '../../page/opened-address.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { type Denorm, start, until } from '../denorm.ts';
import { user } from '../items.ts';

/** A port below those that the system gives to connections, so that the next one is free too. */
const lowPort = () => 12_000 + 2 * Math.floor(Math.random() * 9_000);

async function devWithPage(
  port: number,
  args: readonly string[] = [],
  folder = newFolder(),
): Promise<Denorm> {
  const dev = start(['dev', '--no-check', '--port', String(port), ...args], folder);
  await until(
    () => /^page .*\n/m.test(dev.stdout()) || dev.process.exitCode !== null,
    'the line of the page',
  );
  return dev;
}

/** The address that it prints. */
const pageOf = (dev: Denorm) => /^page (\S+)$/m.exec(dev.stdout())?.[1] ?? '';

test('denorm dev serves its page on the next port, and ends although a page is open', async () => {
  const port = lowPort();
  const dev = await devWithPage(port);
  const url = pageOf(dev);
  expect(dev.stdout()).toContain(`ready http://127.0.0.1:${port} table app\npage ${url}\n`);
  const { origin, headers } = openedAddress(url);
  expect(origin).toBe(`http://127.0.0.1:${port + 1}`);
  expect(await (await fetch(origin, { headers })).text()).toContain(
    '<script type="module" src="/page.js"></script>',
  );
  expect(await (await fetch(`${origin}/page.js`, { headers })).text()).toContain('/api/news');

  dev.process.kill('SIGTERM');
  expect(await dev.exited).toBe(0);
});

test('denorm dev serves its page on another port if the next one is taken', async () => {
  const port = lowPort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port + 1, '127.0.0.1', resolve));
  try {
    const dev = await devWithPage(port);
    expect(Number(new URL(pageOf(dev)).port)).toBeGreaterThan(port + 1);
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

test('the page keeps the content of a change that nobody watched', async () => {
  const port = lowPort();
  const { origin, headers } = openedAddress(pageOf(await devWithPage(port)));
  const application = new ApplicationTable(`http://127.0.0.1:${port}`, 'app', table);
  await application.put(user);
  application.close();
  const change = () => fetch(`${origin}/api/change?id=1`, { headers });
  await until(async () => (await change()).ok, 'the change');

  expect(await (await change()).json()).toMatchObject({ contentKept: true });
});

test('without a worker, the page shows items and no changes', async () => {
  const port = lowPort();
  const { origin, headers } = openedAddress(pageOf(await devWithPage(port, ['--no-worker'])));
  const { answers } = JSON.parse(await (await fetch(`${origin}/api/project`, { headers })).text());

  expect(answers).toEqual([
    ...['GET /api/item', 'GET /api/items', 'GET /api/list', 'POST /api/item', 'GET /api/example'],
    ...['POST /api/example', 'GET /api/failures', 'POST /api/drop', 'POST /api/verify'],
  ]);
  expect((await fetch(`${origin}/api/news`, { headers })).status).toBe(404);
});

test('no other user of the machine can read what a command writes', async () => {
  const folder = newFolder();
  await devWithPage(lowPort(), ['--db-path', 'data.db'], folder);

  const written = readdirSync(folder, { recursive: true, withFileTypes: true });
  expect(written.map(({ name }) => name)).toEqual(expect.arrayContaining(['data.db', 'page-token']));
  const open = written.filter(
    ({ parentPath, name }) => (statSync(join(parentPath, name)).mode & 0o077) !== 0,
  );
  expect(open.map(({ name }) => name)).toEqual([]);
});
