import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ApplicationTable } from '../../scripts/demo/application-table.ts';
import { type DevEnvironmentOptions, openDevEnvironment } from '../../src/dev/dev-environment.ts';
import { table } from '../../src/table.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { settings } from '../fixtures/application/stack.ts';
import { newFolder } from '../suites/new-folder.ts';

const user = { PK: 'USER#1', SK: '#METADATA', Type: 'User', userId: '1', username: 'Ada' };
const membership = {
  ...{ PK: 'SERVER#1', SK: 'USER#1', Type: 'Membership', serverId: '1', userId: '1' },
  ...{ username: 'Ada', GSI1PK: 'USER#1', GSI1SK: 'SERVER#1' },
};

/** Dev environments on one database file, one after another, and the roots of their propagations. */
function databaseFile() {
  const folder = newFolder();
  const dbPath = join(folder, 'data.db');
  return {
    positions: `${dbPath}.positions.json`,
    async open(options: Partial<DevEnvironmentOptions> = {}) {
      const worked: string[] = [];
      const environment = await openDevEnvironment({
        ...{ registry: loadRules(), stack: settings, tableName: 'app', dbPath },
        stateDir: folder,
        onPropagation: ({ root, recheck }) => worked.push(`${root.pk}${recheck ? ' again' : ''}`),
        ...options,
      });
      onTestFinished(() => environment.close());
      const application = new ApplicationTable(environment.endpoint, 'app', table);
      return {
        worked,
        put: (item: object) => application.put({ ...item }),
        async close() {
          await environment.idle();
          application.close();
          await environment.close();
        },
        environment,
      };
    },
  };
}

test('a dev environment continues after the changes that an earlier one has seen', async () => {
  const { open } = databaseFile();
  const first = await open();
  await first.put(user);
  await first.close();
  expect(first.worked).toEqual(['USER#1']);

  const second = await open();
  await second.put({ ...user, PK: 'USER#2', userId: '2' });
  await second.close();
  expect(second.worked).toEqual(['USER#2']);
});

test('the position is kept while the environment runs, for a kill may come', async () => {
  const { open, positions } = databaseFile();
  const { put } = await open();
  await put(user);

  await vi.waitUntil(() => existsSync(positions) && readFileSync(positions, 'utf8').includes('"after":"1"'), {
    timeout: 30_000,
  });
});

test('the messages that an earlier one has left in its queue are delivered', async () => {
  const { open } = databaseFile();
  const first = await open();
  await first.put(membership);
  await first.put({ ...user, username: 'Grace' });
  await first.close();

  const second = await open();
  second.environment.deliverDelayedNow();
  await second.close();
  expect(second.worked).toEqual(['USER#1 again']);
});

test.each([
  ['with other rules', 1, { rulesDigest: 'others' }, (text: string) => text],
  ['after a file that is cut off', 1, {}, (text: string) => text.slice(0, 60)],
  ['after a file of another stream', 1, {}, (text: string) => text.replace('/stream/', '/stream/0')],
  [
    'after a position whose record is another',
    0,
    {},
    (text: string) => text.replace(/"writtenAt":\d/, '"writtenAt":9'),
  ],
])('%s, it reads the whole stream', async (_, told, options, changed) => {
  const { open, positions } = databaseFile();
  const first = await open();
  await first.put(user);
  await first.close();
  writeFileSync(positions, changed(readFileSync(positions, 'utf8')));

  const onReadAnew = vi.fn();
  const second = await open({ ...options, onReadAnew });
  await second.close();
  expect(second.worked).toEqual(['USER#1']);
  expect(onReadAnew).toHaveBeenCalledTimes(told);
});

test('the file of the positions holds no item content', async () => {
  const { open, positions } = databaseFile();
  const first = await open();
  await first.put(membership);
  await first.put({ ...user, username: 'A secret' });
  await first.close();

  const text = readFileSync(positions, 'utf8');
  expect(text).toContain('username-on-memberships');
  expect(text).not.toContain('secret');
});
