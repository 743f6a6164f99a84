import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deadLetterFolder } from '../../../src/dev/queue/dead-letter-folder.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run, startDev, until } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { incident, membership, membershipKey, participation, participationKey, user } from '../items.ts';
import { stubCloud } from '../stub-cloud.ts';
import { deadLetterAbout, givenUp, record, stage } from './failed-work.ts';

const tables = embeddedTables();

const root = { PK: incident.PK, SK: incident.SK };
const { State: _, ...broken } = incident;
const changed = record({ ...incident, State: 'OPEN' }, incident);
const followed = { Title: incident.Title, GSI1SK: 'CLOSED#2021-02-24T19:28:41Z' };
const none = 'No failures in .denorm/dead-letters and .denorm/on-failure\n';

describe('denorm dlq beside denorm dev', () => {
  test('shows dead letters in one line, and redrives them after the incident is repaired', async () => {
    const { application, cwd, at, dlq, left } = await stage(tables);
    const dev = await startDev(at, cwd);
    await application.put(participation);
    await application.put(broken);
    await until(async () => (await left())[0] >= 1, 'the incident is dead-lettered');
    await application.put({ ...broken, Number: 2 });
    await until(async () => (await left())[0] >= 2, 'the incident is dead-lettered once more');
    dev.process.kill('SIGTERM');
    await dev.exited;

    const listed = await dlq('list');
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(/incident-on-participations.*\{"PK":"acct_1#inc","SK":"inc_1"\}/);
    expect(listed.stdout).toContain('root.invalid');
    expect(listed.stdout.match(/acct_1#inc"/g)).toHaveLength(1);
    const json = JSON.parse((await dlq('list', '--json')).stdout).summary;
    const [count] = await left();
    expect(json).toMatchObject({ failures: count, unseen: 0, lines: [{ count, key: root }] });

    const still = await dlq('redrive', '--all');
    expect(still.code).toBe(1);
    expect(still.stdout).toMatch(/dead-lettered again {2}root\.invalid {2}incident-on-participations/);
    // Dead letters with the same request are redriven as one message, and dead-lettered as one.
    expect((await left())[0]).toBeGreaterThanOrEqual(1);
    expect((await left())[0]).toBeLessThanOrEqual(count);

    // dev has ended, so only the redriven propagation can update the copy.
    await application.put(incident);
    const { id } = json.lines[0];
    const shown = await dlq('show', id.slice(0, 6));
    expect(shown.stdout).toMatch(new RegExp(`^${id}\n.*rule +incident-on-participations`, 's'));
    const redriven = await dlq('redrive', '--id', JSON.stringify(root));
    expect([redriven.code, redriven.stderr]).toEqual([0, '']);
    expect(redriven.stdout).toMatch(/^redriven {2}\d dead letters?, as \d messages?\n$/);
    expect(await application.get(participationKey)).toMatchObject(followed);
    expect((await dlq('list')).stdout).toBe(`No failures in .denorm/dead-letters and .denorm/on-failure\n`);
    for (const ran of [listed, still, shown, redriven])
      expect(ran.stdout + ran.stderr).not.toContain('secret');
  });

  test('redrives a batch from the current table, and removes it', async () => {
    const { application, dlq, left } = await stage(tables, [], [givenUp('Propagate', changed)]);
    await application.put({ ...incident, Title: 'newer still' });
    await application.put(participation);
    const { code, stdout, stderr } = await dlq('redrive', '--all');

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^redriven {2}Propagate {2}1 record {2}.*\nredriven {2}1 batch\n$/);
    expect(await application.get(participationKey)).toMatchObject({ ...followed, Title: 'newer still' });
    expect(await left()).toEqual([0, 0]);
    expect((await dlq('redrive', '--all')).stdout).toBe(none);
  });

  test('lists, shows and drops dead letters and batches alike, and drops nothing without --yes', async () => {
    const letter = { code: 'record.unreadable', reason: 'no keys', record: '77' };
    const batch = givenUp('Propagate', changed, record(user));
    const { dlq, left } = await stage(tables, [JSON.stringify(letter)], [batch]);

    const listed = await dlq('list');
    expect(listed.stdout).toMatch(
      /record\.unreadable[\s\S]*batch\.given-up[\s\S]*\n\$ npx denorm dlq show \w{12} .*\n2 failures in .* looked at; found 2 in 2 lines/,
    );
    const { lines } = JSON.parse((await dlq('list', '--json')).stdout).summary;
    const ofPropagate = JSON.parse((await dlq('list', '--of', 'Propagate', '--json')).stdout).summary;
    expect(ofPropagate).toMatchObject({ failures: 1, unseen: 0 });
    expect((await dlq('list', '--of', 'Archive')).stdout).toMatch(/^No failures in/);
    const { id } = lines.find(({ code }: { code: string }) => code === 'batch.given-up');
    const shown = await dlq('show', id);
    expect(shown.stdout).toContain('2 records of Propagate, 1 removal');
    expect(shown.stdout).not.toContain('secret');

    expect(await dlq('drop', '--rule', 'order-on-user-order')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^No such failures among 2 failures in 2 lines in /),
    });
    const careful = await dlq('drop', '--all');
    expect(careful.code).toBe(2);
    expect(careful.stderr).toMatch(
      /^denorm: usage\.yes: Expected --yes, because it deletes 2 failures in 2 lines .*, then add --yes\n$/m,
    );
    expect(await left()).toEqual([1, 1]);
    expect((await dlq('drop', '--id', id, '--yes')).stdout).toBe('dropped  1 failure in 1 line\n');
    expect(await left()).toEqual([1, 0]);
    expect(await dlq('drop', '--all', '--yes')).toMatchObject({ code: 0 });
    expect((await dlq('drop', '--all', '--yes')).stdout).toBe(none);
  });

  test('tells a batch that no redrive can run from one to redrive, and drops it alone', async () => {
    const batches = [givenUp('Propagate', changed), { ...givenUp('Propagate', changed), payload: '' }];
    const { dlq, left } = await stage(tables, [], batches);

    const { stdout } = await dlq('list');
    expect(stdout).toMatch(/batch\.given-up[\s\S]*; found 2 in 2 lines, 1 to redrive, 1 for you\n$/);
    expect((await dlq('list', '--code', 'batch.unreadable')).stdout).toMatch(/, 0 to redrive, 1 for you\n$/);
    expect((await dlq('redrive', '--code', 'batch.given-up')).code).toBe(0);
    const { stdout: kept, code } = await dlq('redrive', '--all');
    expect(kept).toMatch(
      /^kept {2}Propagate\/.* {2}it holds no records of a DynamoDB stream\nredriven {2}0 batches\nkept {2}1 batch\n$/,
    );
    expect([code, await left()]).toEqual([1, [0, 1]]);
    expect((await dlq('drop', '--code', 'batch.unreadable', '--yes')).code).toBe(0);
    expect(await left()).toEqual([0, 0]);
  });

  test('runs the propagations of an index, without waiting a minute for the recheck', async () => {
    const rule = 'username-on-memberships';
    const asked = { rule, root: { pk: 'USER#1', sk: '#METADATA' } };
    const { application, dlq } = await stage(tables, [deadLetterAbout('', asked)]);
    await application.put(user);
    await application.put(membership);

    expect((await dlq('redrive', '--rule', rule)).code).toBe(0);
    expect((await dlq('redrive', '--rule', rule)).stdout).toBe(none);
    expect(await application.get(membershipKey)).toMatchObject({ username: 'Johanna' });
  });

  test('keeps the work of a paused rule, which nothing there would hold', async () => {
    const { application, at, cwd, dlq, left } = await stage(
      ...([tables, [deadLetterAbout('acct_1#inc')], [givenUp('Propagate', changed)]] as const),
    );
    await application.put(incident);
    await application.put(participation);
    const rule = ['--rule', 'incident-on-participations'];
    expect((await run(['pause', ...rule, ...at], cwd)).code).toBe(0);

    const held = await dlq('redrive', '--all');
    expect(held.stdout).toMatch(
      new RegExp(
        `^kept {2}1 dead letter of paused rules, .*\n\\$ npx denorm resume ${rule.join(' ')} --table`,
        'm',
      ),
    );
    expect(held.stdout).toMatch(
      /^kept {2}Propagate {2}1 record .* is paused \(incident-on-participations\): end that with `npx denorm resume --rule \S+ --table/m,
    );
    expect([held.code, await left()]).toEqual([1, [1, 1]]);
    expect(await application.get(participationKey)).toMatchObject({ Title: participation.Title });

    await run(['resume', ...rule, ...at], cwd);
    expect((await dlq('redrive', '--all')).code).toBe(0);
    expect(await application.get(participationKey)).toMatchObject(followed);
  });

  test('archives the last state of an item that is gone, whatever the options are', async () => {
    const expired = record({ ...incident, ExpiresAt: 1_700_000_000 }, undefined, true);
    const { cwd, dlq, left } = await stage(tables, [], [givenUp('Archive', expired)]);

    expect((await dlq('redrive', '--all')).code).toBe(0);
    expect(await left()).toEqual([0, 0]);
    const archived = join(cwd, '.denorm/archive/Incident/acct_1%23inc');
    expect(readdirSync(archived)).toContain(`inc_1.json.${expired.dynamodb?.SequenceNumber}`);
  });

  test('redrives removals only with --allow-remove, and the rest of their batch in any case', async () => {
    const orphan = { ...participation, PK: 'acct_2#inc_2#incpart' };
    const other = { ...participation, PK: 'acct_3#inc_1#incpart' };
    const locations = [{ in: 'partition' as const, pk: other.PK }];
    const removal = deadLetterAbout('acct_3#inc', { cause: 'deleted', locations });
    const batch = givenUp('Propagate', changed, record({ ...incident, PK: 'acct_2#inc', SK: 'inc_2' }));
    const { application, dlq, left } = await stage(tables, [removal], [batch]);
    for (const item of [incident, participation, orphan, other]) await application.put(item);
    const copies = () =>
      Promise.all([orphan, other].map(({ PK, SK }) => application.get({ pk: PK, sk: SK })));

    const careful = await dlq('redrive', '--all', '--json');
    expect(careful.code).toBe(1);
    expect(JSON.parse(careful.stdout).summary).toMatchObject({
      ...{ redriven: { batches: 0 }, kept: { removals: 1, batches: 1 }, leftOut: 1, deadLetteredAgain: [] },
      batches: [{ function: 'Propagate', records: 2, leftOut: 1, outcome: 'kept' }],
    });
    expect(await application.get(participationKey)).toMatchObject(followed);
    expect(await copies()).toEqual([orphan, other]);
    expect(await left()).toEqual([1, 1]);

    expect((await dlq('redrive', '--all', '--allow-remove')).code).toBe(0);
    expect(await copies()).toEqual([undefined, undefined]);
    expect(await left()).toEqual([0, 0]);
  });

  test('prints what it would redrive in a dry run, and writes nothing', async () => {
    const letters = ['acct_1#inc', 'acct_2#inc'].map((pk) => deadLetterAbout(pk));
    const { application, cwd, left, refuseWrites } = await stage(tables, letters, [
      givenUp('Propagate', changed),
    ]);
    await application.put(incident);
    await application.put(participation);
    const refusing = await refuseWrites();
    const { code, stdout } = await run(['dlq', 'redrive', '--all', '--dry-run', ...refusing.at], cwd);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^would redrive {2}Propagate {2}1 record {2}Propagate\/2/m);
    expect(stdout).toMatch(
      /^would redrive {2}incident-on-participations {2}\{"PK":"acct_1#inc".*\nwould .*acct_2#inc/m,
    );
    expect(stdout).toContain(
      `\n$ npx denorm dlq redrive --all ${refusing.at.join(' ')} --state-dir .denorm\n`,
    );
    expect(stdout).not.toContain('secret');
    expect(refusing.refused).toEqual([]);
    expect(await left()).toEqual([2, 1]);
  });

  test('keeps dead letters without a valid propagation, and gives a reason for each', async () => {
    const letter = { code: 'record.unreadable', reason: 'no keys', record: '77' };
    const unknown = deadLetterAbout('acct_1#inc', { rule: 'of-yesterday' });
    const { dlq, left } = await stage(tables, [unknown, letter, 'a secret']);
    const { code, stdout } = await dlq('redrive', '--all', '--json');

    expect(code).toBe(1);
    expect(JSON.parse(stdout).summary).toEqual({
      dryRun: false,
      redriven: { deadLetters: 0, messages: 0, batches: 0 },
      kept: { removals: 0, unknownRule: 1, paused: 0, withoutMessage: 2, notReached: 0, batches: 0 },
      ...{ leftOut: 0, batches: [], deadLetteredAgain: [] },
    });
    const listed = await dlq('list');
    expect(listed.stdout).toContain('dead-letter.unreadable');
    expect(listed.stdout).toContain('77');
    expect(listed.stdout).not.toContain('secret');
    expect(await left()).toEqual([3, 0]);
  });

  test.each([
    [2, [deadLetterAbout('acct_1#inc')], [], /^denorm: aws\.unreachable: GetItem .*nothing listens at 127/],
    [1, [], [givenUp('Propagate', changed)], /^kept {2}Propagate .*GetItem .*nothing listens at 127/],
  ])(
    'ends with %i and keeps what failed if the table is out of reach',
    async (exit, letters, batches, says) => {
      const { cwd, left } = await stage(tables, letters, batches);
      const { code, stdout, stderr } = await run(
        ['dlq', 'redrive', '--all', '--endpoint', 'http://127.0.0.1:1'],
        cwd,
      );

      expect(code).toBe(exit);
      expect(exit === 2 ? stderr : stdout).toMatch(says);
      expect(await left()).toEqual([letters.length, batches.length]);
    },
  );
});

describe('denorm dlq refuses in one sentence, with 2,', () => {
  test.each([
    ['no selection', ['redrive'], /one of --id ID, --rule NAME, --code CODE, --of FUNCTION and --all/],
    ['two selections', ['redrive', '--all', '--rule', 'a'], /--all.*--rule|--rule.*--all/],
    ...['list', 'redrive', 'drop'].map((word): [string, string[], RegExp] => [
      `an unknown rule to ${word}`,
      [word, '--rule', 'typo'],
      /^denorm: usage\.rule: Expected --rule to be one of .*order-on-user-order, .*, got 'typo'\n$/,
    ]),
    ['an unknown id', ['show', 'abcdef'], /no line 'abcdef': see `denorm dlq list`/],
    ['too short an id', ['show', 'a'], /four digits/],
    ['a key without dead letters', ['show', '{"PK":"a","SK":"b"}'], /or the key of its root, found no line/],
    ['an invalid key', ['show', '{"PK":"a"}'], /item key as JSON/],
    ['an invalid rate', ['redrive', '--all', '--rate', '0'], /number above 0/],
    ['an unknown stack', ['list', '--stack', 'none'], /found none called none/],
    [
      'a bucket without its owner',
      ['list', '--failure-bucket', 'b'],
      /with --of Propagate or --of Archive, got/,
    ],
  ])('%s', async (_, args, says) => {
    const cwd = newFolder();
    await deadLetterFolder(join(cwd, '.denorm')).deadLetter([deadLetterAbout('acct_1#inc')]);
    const stack = args.includes('--stack') ? ['--endpoint', (await stubCloud()).endpoint] : [];
    const { code, stdout, stderr } = await run(['dlq', ...args, ...stack], cwd);

    expect(stderr).toMatch(says);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(
      readdirSync(join(cwd, '.denorm/dead-letters')).filter((file) => file.endsWith('.json')),
    ).toHaveLength(1);
  });
});

const many = [
  ...Array.from({ length: 40 }, (_, index) => deadLetterAbout(`acct_${index}#inc`)),
  { ...deadLetterAbout('acct_1#inc', { rule: 'username-on-memberships' }), code: 'copy.invalid' },
  { code: 'record.unreadable', reason: 'no keys', record: '77' },
];

test('many failures are listed in groups of a rule and code, with the next commands', async () => {
  const { dlq, cwd, at } = await stage(tables, many);

  const { stdout, code } = await dlq('list');

  expect(code).toBe(0);
  const [, endpoint, , name] = at;
  const place = `--state-dir .denorm --table ${name} --endpoint ${endpoint}`;
  const [first = '', why, example, show = '', then, redrive, ...others] = stdout.split('\n');
  expect(first).toMatch(
    /^incident-on-participations {2}root\.invalid {2}40 failures in 40 lines, 2 h to 2 h old$/,
  );
  expect(why).toBe('  Expected State');
  expect(example).toMatch(/^ {2}for example \{"PK":"acct_\d+#inc","SK":"inc_1"\}$/);
  expect(show).toMatch(/^ {2}\$ npx denorm dlq show [\da-f]{12} /);
  expect(show.endsWith(` ${place}`)).toBe(true);
  expect((await run(show.trim().split(' ').slice(3), cwd)).stdout).toContain('inc_1');
  expect(then).toBe('  when that is put right:');
  expect(redrive).toBe(
    `  $ npx denorm dlq redrive --rule incident-on-participations --code root.invalid ${place}`,
  );
  expect(others).toHaveLength(15);
  const drop = others.indexOf(`  $ npx denorm dlq drop --code record.unreadable ${place}`);
  expect(others.slice(drop - 2, drop)).toEqual([
    '  nothing to redrive: put it right, repair, then drop it:',
    `  $ npx denorm repair --table ${name} --endpoint ${endpoint}`,
  ]);
  expect(others.at(-2)).toBe(
    '42 failures in .denorm/dead-letters and .denorm/on-failure looked at; found 42 in 42 lines, 41 to redrive, 1 for you',
  );
  const { groups, lines } = JSON.parse((await dlq('list', '--json')).stdout).summary;
  expect(groups).toMatchObject([{ code: 'root.invalid', count: 40, lines: 40 }, { count: 1 }, { count: 1 }]);
  expect(lines).toHaveLength(42);
});

test('a group names its most frequent reasons, each with an example that has it', async () => {
  const letters = Array.from({ length: 30 }, (_, index) => ({
    ...deadLetterAbout(`acct_${index}#inc`, index < 2 ? { cause: 'deleted' } : {}),
    reason: `Expected ${['State', 'State', 'Title', 'Number', 'ID', 'State'][index % 6]}`,
  }));
  const { dlq } = await stage(tables, letters);

  const lines = (await dlq('list')).stdout.split('\n');

  expect(lines.slice(1, 11).map((line) => line.replace(/acct_\d+|(?<=show ).*/, '…'))).toEqual([
    '  15 lines: Expected State',
    '  for example {"PK":"…#inc","SK":"inc_1"}',
    '  $ npx denorm dlq show …',
    ...['Title', 'Number'].flatMap((name) => [
      `  5 lines: Expected ${name}`,
      '  for example {"PK":"…#inc","SK":"inc_1"}',
      '  $ npx denorm dlq show …',
    ]),
    '  5 lines: 1 other reason',
  ]);
  expect(lines[11]).toBe('  when that is put right; 2 lines of removed roots need --allow-remove:');
  const [, id = ''] = /show (\w+)/.exec(lines[6] ?? '') ?? [];
  expect((await dlq('show', id)).stdout).toContain('Expected Title');
});

test('failures of a rule that is off or removed come with both next commands', async () => {
  const rule = 'of-yesterday';
  const letters = Array.from({ length: 21 }, (_, index) => deadLetterAbout(`acct_${index}#inc`, { rule }));
  const { dlq } = await stage(
    tables,
    letters.map((letter) => ({ ...letter, code: 'rule.unknown' })),
  );

  expect((await dlq('list')).stdout.split('\n').slice(4)).toMatchObject([
    '  when the rule is on again:',
    expect.stringMatching(/^ {2}\$ npx denorm dlq redrive --rule of-yesterday --code rule\.unknown /),
    '  if it was removed:',
    expect.stringMatching(/^ {2}\$ npx denorm dlq drop --rule of-yesterday --code rule\.unknown /),
    expect.stringMatching(/ found 21 in 21 lines, 0 to redrive, 21 once their rule is on again, 0 for you$/),
    '',
  ]);
  expect((await dlq('list', '--rule', rule)).stdout).toContain('; found 21 in 21 lines, ');
  expect((await dlq('list', '--rule', 'typo')).stderr).toContain(`, ${rule}, got 'typo'\n`);
});

test('failures of a rule or a code are listed, redriven and dropped alone', async () => {
  const { dlq } = await stage(tables, many);

  expect((await dlq('list', '--lines')).stdout.match(/acct_\d+#inc/g)).toHaveLength(41);
  expect((await dlq('list', '--rule', 'username-on-memberships')).stdout).toMatch(
    /copy\.invalid[\s\S]*\n42 failures .* looked at; found 1 in 1 line, /,
  );
  expect((await dlq('list', '--code', 'record.unreadable')).stdout).toMatch(
    / looked at; found 1 in 1 line, 0 to redrive, 1 for you\n$/,
  );
  const chosen = ['--rule', 'incident-on-participations', '--code', 'root.invalid'];
  expect((await dlq('redrive', ...chosen, '--dry-run')).stdout.match(/^would redrive/gm)).toHaveLength(40);
  expect((await dlq('drop', ...chosen, '--yes')).stdout).toBe('dropped  40 failures in 40 lines\n');
  expect((await dlq('list')).stdout).toMatch(/\n2 failures in .* looked at; found 2 in 2 lines/);
});
