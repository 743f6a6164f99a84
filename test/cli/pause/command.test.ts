import { join } from 'node:path';
import { expect, test } from 'vitest';
import { orderItems } from '../../deployed/items.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run } from '../denorm.ts';
import { driftedOrder } from '../drifted-order.ts';
import { embeddedTables } from '../embedded-tables.ts';

const { server } = embeddedTables();
const { root } = orderItems(1, '1');
const rule = 'order-on-user-order';

let tables = 0;

/** A table with an order whose copy does not follow it. */
async function driftedTable() {
  tables += 1;
  const table = await driftedOrder(server().endpoint, `paused-${tables}`);
  const at = ['--endpoint', table.endpoint, '--table', table.name];
  const denorm = (command: string, ...more: string[]) => run([command, ...at, ...more], newFolder());
  return { denorm, named: (command: string, ...more: string[]) => denorm(command, '--rule', rule, ...more) };
}

test('a pause begins once, is listed, and ends', async () => {
  const { denorm, named } = await driftedTable();

  expect((await denorm('pause')).stdout).toBe('nothing is paused\n');
  const begun = await named('pause');
  expect(begun.stdout).toMatch(
    new RegExp(
      `^${rule} is paused since 20\\S+Z: what matches it waits in the fan-out queue, until this:\\n`,
    ),
  );
  expect(begun.stdout).toMatch(
    new RegExp(`\\$ npx denorm resume --rule ${rule} --table paused-\\d+ --endpoint http://\\S+\\n$`),
  );
  const [, since = ''] = /since (\S+Z)/.exec(begun.stdout) ?? [];
  expect((await named('pause')).stdout).toContain(`was paused already, since ${since}`);
  const listed = (await denorm('pause')).stdout;
  expect(listed).toMatch(new RegExp(`^│ ${rule} +│ ${since} +│$`, 'm'));
  expect(JSON.parse((await denorm('pause', '--json')).stdout).summary).toMatchObject({
    paused: { [rule]: since },
  });

  expect((await named('resume')).stdout).toBe(
    `${rule} goes on: it was paused since ${since}, and what waited arrives within 15 minutes\n`,
  );
  expect((await named('resume')).stdout).toBe(`${rule} was not paused\n`);
  expect((await denorm('pause')).stdout).toBe('nothing is paused\n');
});

test('what is paused and no rule any more is named, as its messages wait on', async () => {
  const { denorm, named } = await driftedTable();
  await named('pause');

  const without = ['--config', join(import.meta.dirname, '../drift/ruleless.config.ts')];
  const gone = new RegExp(
    `^no rule is called ${rule}: its messages wait, .*:\\n\\$ npx denorm resume --rule ${rule} --table`,
    'm',
  );
  expect((await denorm('pause', ...without)).stdout).toMatch(gone);
  expect((await denorm('pause')).stdout).not.toContain('no rule');
  expect((await named('resume', ...without)).stdout).toContain(`${rule} goes on`);
});

test('explain and repair say what is paused, with the command that ends it', async () => {
  const { denorm, named } = await driftedTable();
  const explain = (...more: string[]) =>
    denorm('explain', JSON.stringify({ PK: root.PK, SK: root.SK }), ...more);
  expect((await explain()).stdout).not.toContain('paused');

  await named('pause');
  expect((await explain()).stdout).toMatch(
    new RegExp(
      `\\n\\n${rule} is paused since 20\\S+Z: the worker does this, .* after this:\\n\\$ npx denorm resume --rule ${rule} --table \\S+ --endpoint \\S+\\n$`,
    ),
  );
  expect((await named('repair', '--parameter', 'StatusShards=4')).stderr).toMatch(
    new RegExp(
      `but ${rule} is since 20\\S+Z: run .npx denorm resume --rule ${rule} --table \\S+ --endpoint \\S+. first`,
    ),
  );
  expect(JSON.parse((await explain('--json')).stdout).summary).toMatchObject({
    paused: { [rule]: expect.any(String) },
  });
});

test('verify says what is paused, and repair and backfill write nothing by it', async () => {
  const { denorm, named } = await driftedTable();
  await named('pause');
  const options = ['--grace', '0', '--rcu', 'unlimited'];

  const verified = await named('verify', ...options);
  expect(verified.stdout).toMatch(
    new RegExp(
      `^${rule} is paused since \\S+: what it has not followed since waits in the fan-out queue$`,
      'm',
    ),
  );
  expect(verified.stdout).toMatch(/; found 1 \(1 differs\)/);

  const repaired = await denorm('repair', ...options, '--without-stream');
  expect(repaired.stdout).toMatch(new RegExp(`^not looked at, because paused since \\S+: ${rule}$`, 'm'));
  for (const command of ['repair', 'backfill']) {
    const refused = await named(command, '--without-stream');
    expect(refused.stderr).toMatch(
      new RegExp(
        `^denorm: usage.paused: Expected --rule to be a rule that is not paused, but ${rule} is since`,
      ),
    );
    expect(refused.code).toBe(2);
  }
});

test('a rule that does not exist is neither paused nor resumed', async () => {
  const { denorm } = await driftedTable();

  for (const command of ['pause', 'resume']) {
    const refused = await denorm(command, '--rule', 'archive-orders');
    expect(refused.stderr).toMatch(
      /^denorm: usage\.rule: Expected --rule to be one of .*order-on-user-order.*, got 'archive-orders'\n$/,
    );
    expect(refused.code).toBe(2);
  }
});
