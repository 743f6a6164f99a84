import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../src/develop/dev/table/free-port.ts';
import { loadRules } from '../../fixtures/application/load-rules.ts';
import { projectCopy } from '../../fixtures/application/project-copy.ts';
import { archivedBody } from '../../suites/archived-body.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { type Ran, run } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { membership, membershipKey, user } from '../items.ts';

const { server, newTable } = embeddedTables();

function image(item: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, { S: value }]));
}

function modify(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) {
  const { PK = '', SK = '' } = after;
  return {
    eventID: '1',
    eventName: 'MODIFY',
    eventSource: 'aws:dynamodb',
    dynamodb: {
      Keys: image({ PK, SK }),
      OldImage: image(before),
      NewImage: image(after),
      SequenceNumber: '100000000000000000001',
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  };
}

const renamed = { Records: [modify({ ...user, username: 'John' }, user)] };

/** A separate table with these items, and the command run on one event. */
async function stage(items: readonly Readonly<Record<string, unknown>>[] = []) {
  const { application, at } = await newTable(items);
  const cwd = newFolder();
  const invoke = (lambda: string, event: unknown, ...options: string[]): Promise<Ran> => {
    writeFileSync(join(cwd, 'event.json'), typeof event === 'string' ? event : JSON.stringify(event));
    return run(['invoke', lambda, 'event.json', ...at, ...options], cwd);
  };
  return { application, cwd, invoke };
}

describe('denorm invoke', () => {
  test('runs a function on an event, and names the recheck that it does not wait for', async () => {
    const { application, invoke } = await stage([user, membership]);
    const { code, stdout } = await invoke('Propagate', renamed);

    expect(stdout).toMatch(/username-on-memberships .* changed {2}1 written {2}/);
    expect(stdout).toMatch(/not awaited: username-on-memberships .* recheck in 60 s/);
    expect(code).toBe(0);
    expect(await application.get(membershipKey)).toEqual({
      ...membership,
      username: 'Johanna',
    });
  });

  test('has the table and the endpoint of the stage `dev`, if the config has one, as `denorm dev` has', async () => {
    const { application, name } = await newTable([user, membership]);
    const project = projectCopy();
    const file = join(project, 'denorm.config.ts');
    const stages = `stages: { dev: { endpoint: '${server().endpoint}', table: '${name}' } },`;
    writeFileSync(file, readFileSync(file, 'utf8').replace('  table,\n', `  table,\n  ${stages}\n`));
    writeFileSync(join(project, 'event.json'), JSON.stringify(renamed));

    for (const options of [[], ['--stage', 'dev']]) {
      await application.put(membership);
      const { stderr } = await run(['invoke', 'Propagate', 'event.json', ...options], project, {
        DENORM_CONFIG: '',
      });

      expect(stderr).toBe('');
      expect((await application.get(membershipKey))?.username).toBe('Johanna');
    }
  });

  test('removes the copy of a deleted root', async () => {
    const order = {
      PK: 'ORDER#1',
      SK: 'METADATA',
      Type: 'Order',
      UserId: '7',
      CreatedAt: '2026-01-01T00:00:00Z',
      Status: 'PAID',
    };
    const copy = {
      PK: 'USER#7',
      SK: 'ORDER#2026-01-01T00:00:00Z',
      Type: 'UserOrder',
      OrderId: '1',
      Status: 'PAID',
    };
    const { application, invoke } = await stage([copy]);
    const { OldImage: _, ...dynamodb } = modify(order, order).dynamodb;
    const removed = {
      Records: [
        { ...modify(order, order), eventName: 'REMOVE', dynamodb: { ...dynamodb, OldImage: image(order) } },
      ],
    };

    expect((await invoke('Propagate', removed)).stdout).toContain('1 removed');
    expect(await application.get({ pk: copy.PK, sk: copy.SK })).toBeUndefined();
  });

  test('archives an expiring item, and does not print its content', async () => {
    const profile = { PK: 'USER#3', SK: 'PROFILE', Type: 'UserProfile', Email: 'a@example.com' };
    const { cwd, invoke } = await stage([{ ...profile, ExpiresAt: 4102444800 }]);
    const seen = modify(profile, profile);
    const NewImage = { ...seen.dynamodb.NewImage, ExpiresAt: { N: '4102444800' } };
    const expiring = { Records: [{ ...seen, dynamodb: { ...seen.dynamodb, NewImage } }] };
    const archiving = await invoke('Archive', expiring);
    expect(archiving.code).toBe(0);
    expect(archiving.stdout).toContain('stored in archive/UserProfile/USER%233/PROFILE.json');
    expect(archiving.stdout).not.toContain('a@example.com');
    expect(archivedBody(join(cwd, '.denorm/archive/UserProfile/USER%233/PROFILE.json/@00000001'))).toContain(
      'a@example.com',
    );
  });

  test('runs the queue function on a message', async () => {
    const { application, invoke } = await stage([user, membership]);
    const message = {
      rule: 'username-on-memberships',
      root: { pk: 'USER#1', sk: '#METADATA' },
      cause: 'repair',
      attempts: 0,
    };
    const queued = { Records: [{ messageId: 'm-1', eventSource: 'aws:sqs', body: JSON.stringify(message) }] };
    expect((await invoke('FanOut', queued)).stdout).toMatch(/repair {2}1 written/);
    expect((await application.get(membershipKey))?.username).toBe('Johanna');
  });

  test('dead-letters an invalid root below .denorm, prints the reason, and ends with 0', async () => {
    const incident = { PK: 'acct_1#inc', SK: 'inc_1', Title: 'No state' };
    const { cwd, invoke } = await stage([
      incident,
      { PK: 'acct_1#inc_1#incpart', SK: 'user_1', Title: 'Old' },
    ]);
    const { code, stdout } = await invoke('Propagate', {
      Records: [modify({ ...incident, Title: 'Before' }, incident)],
    });

    expect(stdout).toMatch(/dead-lettered {2}root\.invalid {2}incident-on-participations .*'State'/);
    expect(existsSync(join(cwd, '.denorm/dead-letters'))).toBe(true);
    expect(code).toBe(0);
  });

  test('reports its work as JSON', async () => {
    const { invoke } = await stage([user, membership]);
    const { stdout } = await invoke('Propagate', renamed, '--json');

    expect(JSON.parse(stdout)).toMatchObject({
      propagations: [{ rule: 'username-on-memberships', written: 1 }],
      failed: [],
      records: 1,
    });
  });
});

describe('denorm invoke fails in one sentence', () => {
  test('with 2 if nothing listens at the endpoint', async () => {
    const { invoke } = await stage([]);
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await invoke('Propagate', renamed, '--endpoint', endpoint);

    expect(stderr).toBe(
      `denorm: table.unreachable: Expected a table at ${endpoint}, found that nothing listens there: start \`npx denorm dev\`, or correct --endpoint\n`,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test.each([
    ['with 2 for an unknown function', 'Propagated', renamed, [], 2, /Propagate, Archive, FanOut/],
    ['with 2 for a file without JSON', 'Propagate', 'Records:', [], 2, /contain an event .*as JSON/],
    [
      'with 2 for an event of another kind',
      'Propagate',
      { Records: [{ eventSource: 'aws:s3' }] },
      [],
      2,
      /aws:dynamodb/,
    ],
    ['with 2 for an event without records', 'FanOut', {}, [], 2, /list of Records/],
    [
      'with 2 for an endpoint elsewhere',
      'Propagate',
      renamed,
      ['--endpoint', 'https://dynamodb.us-east-1.amazonaws.com'],
      2,
      /this machine/,
    ],
    ['with 2 for a table that does not exist', 'Propagate', renamed, ['--table', 'none'], 2, /none/],
  ])('%s', async (_, lambda, event, options, exit, why) => {
    const { invoke } = await stage();
    const { code, stderr } = await invoke(lambda, event, ...options);

    expect(stderr).toMatch(why);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(exit);
  });
});

test('denorm rules prints every rule, as text and as JSON', async () => {
  const { rules, aggregates, archives } = loadRules({ statusShards: 1, disabled: [] });
  const names = [...rules, ...aggregates, ...archives].map(({ name }) => name);
  const text = await run(['rules'], newFolder());
  const json = await run(['rules', '--json'], newFolder());

  for (const name of names) expect(text.stdout).toContain(name);
  expect(JSON.parse(json.stdout).rules.map(({ rule }: { rule: string }) => rule)).toEqual(names);
  expect([text.code, json.code]).toEqual([0, 0]);
});

test('Propagate without an event is refused', async () => {
  const { code, stderr } = await run(['invoke', 'Propagate'], newFolder());
  expect(code).toBe(2);
  expect(stderr).toContain("missing required argument 'event.json'");
});
