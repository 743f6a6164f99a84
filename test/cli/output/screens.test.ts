import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../../suites/new-folder.ts';
import { commandOf, until } from '../denorm.ts';
import { deadLetterAbout, givenUp, record, stage } from '../dlq/failed-work.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { everyCommand } from '../every-command.ts';
import { type Screen, screenOf, startCommandOnScreen } from '../screen.ts';

const tables = embeddedTables();

const names = (await everyCommand()).keys();

describe('on a terminal of 80 columns, the help fits of', () => {
  test.each(['', ...names])('denorm %s', async (name) => {
    const args = [...name.split(' '), '--help'].filter(Boolean);
    const { code, text, faults } = await screenOf(startCommandOnScreen(args, newFolder()));

    expect(faults).toEqual([]);
    expect(text).toContain('Usage: ');
    expect(code).toBe(0);
  });
});

const account = 'acct_1eSuXwHoigx1WzTqBimRK2mvvEj';
const incident = {
  ...{ PK: `${account}#inc`, SK: 'inc_1owPwtJ5JZbNMlR4Cccqm3qC7PH', Title: 'Errors', State: 'CLOSED' },
  ...{ CreatedAt: 1_614_194_921, Status: 'RESOLVED' },
};
const key = JSON.stringify({ PK: incident.PK, SK: incident.SK });
const participation = {
  ...{ PK: `${account}#${incident.SK}#incpart`, SK: 'user_4m7YZDSpNMGH', ParticipantID: 'user_4m7YZDSpNMGH' },
  ...{ Title: 'old', GSI1PK: `${account}#user_4m7YZDSpNMGH#incpart`, GSI1SK: 'OPEN#2021-02-24T19:28:41Z' },
};
const order = {
  ...{ PK: 'ORDER#5b0b5f6e-7f2c-4d0e-9d53-6d9b7d4c9a11', SK: 'METADATA', Type: 'Order', UserId: '42' },
  ...{ Total: 9.99, CreatedAt: '2024-01-15T09:30:00.123456', Status: 'DELIVERED', GSI2PK: 'STATUS#PENDING' },
};
const items = [
  ...[incident, participation, { ...participation, SK: 'user_5q9ZAETrPQHJ', Notes: 'unknown' }],
  ...[
    { ...participation, PK: `${account}#inc_gone#incpart` },
    { ...incident, SK: 'inc_2', State: 1 },
  ],
  ...[order, { ...order, PK: 'ORDER#2', Status: 1 }, { ...order, PK: 'ORDER#3', Total: 'x' }],
];

test('on a terminal of 80 columns, all fits that commands find and do', { timeout: 600_000 }, async () => {
  const { application, cwd, at } = await stage(
    tables,
    [
      deadLetterAbout(incident.PK, { root: { pk: incident.PK, sk: incident.SK } }),
      deadLetterAbout(`${account}2#inc`),
    ],
    [givenUp('Propagate', record({ ...incident, State: 'OPEN' }, incident))],
  );
  const screens: Record<string, Screen> = {};
  const see = async (name: string, ...args: readonly string[]) => {
    screens[name] = await screenOf(startCommandOnScreen(args, cwd));
  };

  const dev = startCommandOnScreen(['dev', '--no-page', ...at], cwd);
  await until(() => dev.stdout().includes('ready '), 'the ready line');
  for (const item of items) await application.put(item);
  await application.put({ ...order, PK: 'ORDER#4', ExpiresAt: 4_000_000_000 });
  await until(() => /Order.*ORDER#4.*archived/.test(dev.stdout()), 'an archived item');
  // `script` would not wait for what is still printed.
  process.kill(commandOf(dev), 'SIGINT');
  screens['dev'] = await screenOf(dev);
  // Without the worker, copies stay wrong.
  for (const item of items) await application.put(item);
  writeFileSync(join(cwd, 'event.json'), JSON.stringify({ Records: [record(undefined, incident)] }));
  const archive = ['--state-dir', '.denorm'];

  await see('check', 'check', '--no-types', ...at);
  await see('rules', 'rules');
  await see('explain', 'explain', key, '--show-values', ...at);
  await see('explain of an event', 'explain', 'event.json', ...at);
  await see('simulate', 'simulate', '--seeds', '2');
  await see('cost', 'cost', '--copies', '100');
  await see('verify', 'verify', '--grace', '0', '--show-values', ...at);
  await see('repair --dry-run', 'repair', '--grace', '0', '--dry-run', '--allow-remove', ...at);
  await see('backfill', 'backfill', '--rule', 'incident-on-participations', '--dry-run', ...at);
  await see('repair', 'repair', '--grace', '0', '--allow-remove', ...at);
  await see('dlq list', 'dlq', 'list', ...at);
  await see('dlq show', 'dlq', 'show', key);
  await see('dlq redrive', 'dlq', 'redrive', '--all', ...at);
  await see('dlq drop', 'dlq', 'drop', '--all', ...at);
  await see('sweep without consent', 'sweep', ...at, ...archive);
  await see('sweep --dry-run', 'sweep', '--dry-run', ...at, ...archive);
  await see('sweep', 'sweep', '--yes', ...at, ...archive);
  await see('archive list', 'archive', 'list', ...archive);
  await see('archive list --status', 'archive', 'list', '--status', ...at, ...archive);
  await see('archive show', 'archive', 'show', '{"PK":"ORDER#4","SK":"METADATA"}', ...archive);
  await see('archive audit', 'archive', 'audit', '--grace', '0', ...at, ...archive);
  await see('archive restore', 'archive', 'restore', '{"PK":"ORDER#4","SK":"METADATA"}', ...at, ...archive);
  await see('pause', 'pause', '--rule', 'order-on-user-order', ...at);
  await see('repair of what is paused', 'repair', '--rule', 'order-on-user-order', ...at);
  await see('init', 'init', 'my-app');
  await see('a wrong option', 'verify', '--tabel', 'app');
  await see('a wrong table', 'verify', ...at.toSpliced(3, 1, 'no-such-table'));
  await see('no server', 'verify', '--endpoint', 'http://127.0.0.1:1');
  await see('a stack that is out of reach', 'watch', '--stack', 'denorm-prod');

  expect(screens['dev']).toMatchObject({ code: 0, text: expect.stringContaining('ends because of Ctrl-C') });
  expect(screens['verify']?.text).toContain('Title: "old" → "Errors"');
  const faults = Object.entries(screens).flatMap(([name, screen]) =>
    screen.faults.map((fault) => `${name}: ${fault}`),
  );
  expect(faults).toEqual([]);
});
