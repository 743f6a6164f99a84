import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SeededTable } from '../../operations/seeded-table.ts';
import { forwardingProxy } from '../../suites/forwarding-proxy.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { jsonLines, run } from '../denorm.ts';
import { driftedOrder } from '../drifted-order.ts';
import { embeddedTables } from '../embedded-tables.ts';

const { server } = embeddedTables();
const config = join(import.meta.dirname, 'queued.config.ts');

let tables = 0;

async function drifted() {
  tables += 1;
  const table = await driftedOrder(server().endpoint, `waiting-${tables}`);
  return table;
}

const stage = ['--config', config, '--stage', 'queued'];
const options = ['--grace', '0', '--rcu', 'unlimited'];

/** The environment of the stage whose queue answers this. */
async function queued({ name, endpoint }: SeededTable, answer: () => object | false) {
  const proxy = await forwardingProxy(
    endpoint,
    (operation) => operation !== 'GetQueueAttributes' || answer(),
  );
  const QUEUED_URL = `${proxy}/000000000000/fan-out`;
  return { QUEUED_TABLE: name, QUEUED_ENDPOINT: proxy, QUEUED_URL };
}

test('copies that differ are drift only when the fan-out queue is empty', async () => {
  const table = await drifted();
  const counts = ['2', '1', '0'];
  const at = await queued(table, () => ({ Attributes: { ApproximateNumberOfMessages: counts.shift() } }));

  const ran = await run(['verify', ...stage, ...options], newFolder(), at);

  expect(counts).toEqual([]);
  expect(ran.stdout).toMatch(/^2 items read; found 1 \(1 differs\)/m);
  expect(ran.stdout).not.toContain('fan-out queue');
  expect(ran.code).toBe(1);
});

test('a queue that cannot be seen is said, with the reason', async () => {
  const table = await drifted();
  const environment = await queued(table, () => false);

  const denied = await run(['verify', ...stage, ...options], newFolder(), environment);
  const json = await run(['verify', ...stage, ...options, '--json'], newFolder(), environment);
  const at = ['--endpoint', table.endpoint, '--table', table.name];
  const unnamed = await run(['verify', ...at, ...options], newFolder());

  expect(denied.stdout).toMatch(/the fan-out queue was not looked at \(GetQueueAttributes of .* was denied/);
  expect(denied.stdout).not.toContain('secret');
  expect(jsonLines<{ readonly summary?: object }>(json).at(-1)?.summary).toMatchObject({
    queue: { unseen: expect.stringContaining('was denied') },
  });
  expect(unnamed.stdout).toContain(
    'the fan-out queue was not looked at (that of `denorm dev` is in its process): what differs may be on its way\n',
  );
});
