import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { freePort } from '../../../src/dev/local-server.ts';
import { table } from '../../../src/table.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { startDev, until } from '../denorm.ts';
import { membership, user } from '../items.ts';

test('denorm dev says which items are nearly of a kind, when they are written and when they are there', async () => {
  const cwd = newFolder();
  const port = String(await freePort());
  const application = new ApplicationTable(`http://127.0.0.1:${port}`, 'app', table);
  onTestFinished(() => application.close());
  const args = ['--port', port, '--db-path', join(cwd, 'app.db')];

  const dev = await startDev(args, cwd);
  await application.put({ ...membership, Type: 'membership' });
  await application.put({ ...membership, SK: 'user#7' });
  // Two shards: either may be read first.
  const told = ["not 'Membership'\n", "is a Membership's, the key is like"];
  await until(() => told.every((text) => dev.stderr().includes(text)), 'what both items are like');
  dev.process.kill('SIGTERM');
  await dev.exited;

  expect(dev.stderr()).toMatch(
    /^denorm: check: table {2}Membership {2}no rule takes \{.*\}: the key is a Membership's, its Type is 'membership' and not 'Membership'$/m,
  );
  expect(dev.stderr()).toMatch(/its Type is a Membership's, the key is like SERVER#… \/ user#… and not /);
  expect(dev.stderr()).toMatch(
    /^denorm: no item was of .*Membership.*, which .*username-on-memberships.* need$/m,
  );

  const again = await startDev(args, cwd);
  await until(() => again.stderr().includes("'membership', such as"), 'what the table has');
  expect(again.stderr()).toMatch(
    /^denorm: check: table {2}Membership {2}Expected items with keys of Membership to have the Type 'Membership', found 1 with 'membership', such as /m,
  );
});

test('denorm dev judges the items that the table has when the worker has written their copies', async () => {
  const cwd = newFolder();
  const port = String(await freePort());
  const application = new ApplicationTable(`http://127.0.0.1:${port}`, 'app', table);
  onTestFinished(() => application.close());
  const args = ['--port', port, '--db-path', join(cwd, 'app.db')];
  const without = await startDev([...args, '--no-worker', '--no-check'], cwd);
  const ids = Array.from({ length: 200 }, (_, id) => ({ userId: String(id), key: `USER#${id}` }));
  await Promise.all(
    ids.flatMap(({ userId, key }) => [
      application.put({ ...user, PK: key, userId }),
      application.put({ ...membership, SK: key, GSI1PK: key, userId, username: 7 }),
    ]),
  );
  without.process.kill('SIGTERM');
  await without.exited;

  const dev = await startDev(args, cwd);
  await until(() => / items of table app: /.test(dev.stderr()), 'what the table has');
  expect(dev.stderr()).toMatch(/^denorm: check: 400 items of table app: \d+ findings?$/m);
  expect(dev.stderr()).not.toContain('Expected username of Membership');
});

test('denorm dev with an empty table, or without checks, says nothing of kinds', async () => {
  const cwd = newFolder();
  const port = String(await freePort());
  const application = new ApplicationTable(`http://127.0.0.1:${port}`, 'app', table);
  onTestFinished(() => application.close());

  const empty = await startDev(['--port', port], cwd);
  empty.process.kill('SIGTERM');
  await empty.exited;
  expect(empty.stderr()).not.toContain('no item was of');

  const silent = await startDev(['--port', port, '--no-check'], cwd);
  await application.put({ ...membership, Type: 'membership' });
  silent.process.kill('SIGTERM');
  await silent.exited;
  expect(silent.stderr()).not.toMatch(/no rule takes|no item was of/);
});
