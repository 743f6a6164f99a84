import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { kindWatch } from '../../../src/cli/dev/kind-watch.ts';
import { freePort } from '../../../src/dev/local-server.ts';
import { type Item, keyed } from '../../../src/model/items/item.ts';
import { table } from '../../../src/table.ts';
import { aMembership, aUser } from '../../fixtures/world/items.ts';
import { usernameOnMemberships } from '../../fixtures/world/rules.ts';
import { registryOf } from '../../fixtures/world/world.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { startDev, until } from '../denorm.ts';
import { membership, user } from '../items.ts';

/** A table for one `denorm dev` after another. */
async function keptTable() {
  const cwd = newFolder();
  const port = String(await freePort());
  const application = new ApplicationTable(`http://127.0.0.1:${port}`, 'app', table);
  onTestFinished(() => application.close());
  return { cwd, application, args: ['--port', port, '--db-path', join(cwd, 'app.db')] };
}

test('denorm dev says which items are nearly of a kind, when they are written and when they are there', async () => {
  const { cwd, application, args } = await keptTable();

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
  const { cwd, application, args } = await keptTable();
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
  const { cwd, application, args } = await keptTable();

  const empty = await startDev(args, cwd);
  empty.process.kill('SIGTERM');
  await empty.exited;
  expect(empty.stderr()).not.toContain('no item was of');

  const silent = await startDev([...args, '--no-check'], cwd);
  await application.put({ ...membership, Type: 'membership' });
  silent.process.kill('SIGTERM');
  await silent.exited;
  expect(silent.stderr()).not.toMatch(/no rule takes|no item was of/);
});

describe('the items of the start are judged', () => {
  const registry = registryOf(usernameOnMemberships);
  const { key } = keyed(registry.table, aMembership('s'));
  const stale = aMembership('s', { Name: 7 });
  const never = () => new Promise<void>(() => {});

  /** What is said if these are read at the start. */
  function watched(...items: readonly Item[]) {
    const said: string[] = [];
    const kinds = kindWatch(registry, 'app', ({ message }) => said.push(message));
    return { kinds, said, read: () => kinds.has(items.map((item) => keyed(registry.table, item))) };
  }

  test('as they are when the worker is idle, and not before', async () => {
    const { kinds, said, read } = watched(aUser(), stale);
    const idle = Promise.withResolvers<void>();
    read();
    const judged = kinds.judged(() => idle.promise, new AbortController().signal);
    await setImmediate();
    kinds.changed({ key, after: aMembership('s') });
    idle.resolve();

    expect(await judged).toBe('2 items of table app: 0 findings');
    expect(said).toEqual([]);
  });

  test.each([
    ['written', aMembership('s'), '2 items of table app: 0 findings'],
    ['deleted', undefined, '1 item of table app: 1 finding'],
  ])('as they are, if they were %s while they were read', async (_, after, expected) => {
    const { kinds, read } = watched(aUser(), stale);
    kinds.changed({ key, after });
    read();

    expect(await kinds.judged(async () => {}, new AbortController().signal)).toBe(expected);
  });

  test('without those that are written later', async () => {
    const { kinds, read } = watched(aUser(), aMembership('s'));
    read();
    const later = keyed(registry.table, aMembership('t'));
    kinds.changed({ key: later.key, after: later.item });

    expect(await kinds.judged(async () => {}, new AbortController().signal)).toMatch(/^2 items /);
  });

  test('though the worker is never idle, which is said', async () => {
    const { kinds, said, read } = watched(aUser(), stale);
    read();

    expect(await kinds.judged(never, new AbortController().signal, 0)).toBe(
      '2 items of table app, though the worker has not been idle for 0 s and may not have written all copies: 1 finding',
    );
    expect(said).toEqual([expect.stringMatching(/^Expected Name of Membership to be /)]);
  });

  test('unless it ends before', async () => {
    const { kinds, said, read } = watched(aUser(), stale);
    read();

    expect(await kinds.judged(async () => {}, AbortSignal.abort())).toBeUndefined();
    expect(said).toEqual([]);
  });
});
