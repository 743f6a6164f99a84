import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { ApplicationTable } from '../../../src/dev/table/application-table.ts';
import { table } from '../../application/table.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { type Denorm, start, until } from '../denorm.ts';
import { user } from '../items.ts';

/** A port below those that the system gives to connections, so that the next one is free too. */
const lowPort = () => 12_000 + 2 * Math.floor(Math.random() * 9_000);

async function devWithPage(port: number, ...args: readonly string[]): Promise<Denorm> {
  const dev = start(['dev', '--no-check', '--port', String(port), ...args], newFolder());
  await until(
    () => /^page .*\n/m.test(dev.stdout()) || dev.process.exitCode !== null,
    'the line of the page',
  );
  return dev;
}

test('denorm dev serves its page on the next port, and ends although a page listens', async () => {
  const port = lowPort();
  const dev = await devWithPage(port);
  expect(dev.stdout()).toBe(`ready http://127.0.0.1:${port} table app\npage http://127.0.0.1:${port + 1}/\n`);
  const url = `http://127.0.0.1:${port + 1}`;
  expect(await (await fetch(url)).text()).toContain('<script type="module" src="/page.js"></script>');
  expect(await (await fetch(`${url}/page.js`)).text()).toContain('/api/events');
  const events = await fetch(`${url}/api/events`);
  const heard = events.body?.getReader();
  expect((await heard?.read())?.done).toBe(false);

  dev.process.kill('SIGTERM');
  expect(await dev.exited).toBe(0);
});

test('denorm dev serves its page on another port if the next one is taken', async () => {
  const port = lowPort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port + 1, '127.0.0.1', resolve));
  try {
    const dev = await devWithPage(port);
    const page = Number(/^page http:\/\/127\.0\.0\.1:(\d+)\/$/m.exec(dev.stdout())?.[1]);
    expect(page).toBeGreaterThan(port + 1);
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

test.each([
  ['keeps the content of a change that nobody watched', [], true],
  ['with --no-content, keeps none', ['--no-content'], false],
])('the page %s', async (_, options, contentKept) => {
  const port = lowPort();
  await devWithPage(port, ...options);
  const application = new ApplicationTable(`http://127.0.0.1:${port}`, 'app', table);
  await application.put(user);
  application.close();
  const change = () => fetch(`http://127.0.0.1:${port + 1}/api/changes/1`);
  await until(async () => (await change()).ok, 'the change');

  expect(await (await change()).json()).toMatchObject({ contentKept });
});

test('without a worker, the page shows items and no changes', async () => {
  const port = lowPort();
  await devWithPage(port, '--no-worker');
  const project = await (await fetch(`http://127.0.0.1:${port + 1}/api/project`)).text();

  expect(project).toContain('"abilities":["edit","verify"]');
  expect((await fetch(`http://127.0.0.1:${port + 1}/api/events`)).status).toBe(404);
});
