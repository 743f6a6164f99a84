import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deadLetterFolder } from '../../../src/develop/dev/queue/dead-letter-folder.ts';
import type { DeadLetter, Message } from '../../../src/model/message.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { type Ran, run, start, startDev, until } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { incident, membership, membershipKey, participation, participationKey, user } from '../items.ts';
import { stubCloud } from '../stub-cloud.ts';

const { newTable } = embeddedTables();

const root = { PK: incident.PK, SK: incident.SK };
const { State: _, ...broken } = incident;

function deadLetterAbout(pk: string, more: Partial<Message> = {}): DeadLetter {
  const message: Message = {
    ...{ rule: 'incident-on-participations', root: { pk, sk: 'inc_1' }, cause: 'changed', attempts: 3 },
    ...more,
  };
  return { code: 'root.invalid', reason: 'Expected State', message };
}

/** A folder with these dead letters, a separate table, and `denorm dlq` on both. */
async function stage(deadLetters: readonly (DeadLetter | string)[] = []) {
  const { application, at, refuseWrites } = await newTable();
  const cwd = newFolder();
  const file = deadLetterFolder(join(cwd, '.denorm'));
  for (const one of deadLetters)
    await file.add(typeof one === 'string' ? one : JSON.stringify(one), Date.now() - 7_200_000);
  return {
    ...{ application, cwd, at, refuseWrites },
    dlq: (...args: readonly string[]): Promise<Ran> => run(['dlq', ...args, ...at], cwd),
    lying: () => file.look().then(({ deadLetters: lying }) => lying.length),
  };
}

describe('denorm dlq beside denorm dev', () => {
  test('shows dead letters in one line, and redrives them after the incident is repaired', async () => {
    const { application, cwd, at, dlq, lying } = await stage();
    const dev = await startDev(at, cwd);
    await application.put(participation);
    await application.put(broken);
    await until(async () => (await lying()) >= 1, 'the incident is dead-lettered');
    await application.put({ ...broken, Number: 2 });
    await until(async () => (await lying()) >= 2, 'the incident is dead-lettered once more');
    dev.process.kill('SIGTERM');
    await dev.exited;

    const listed = await dlq('list');
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(/incident-on-participations.*\{"PK":"acct_1#inc","SK":"inc_1"\}/);
    expect(listed.stdout).toContain('root.invalid');
    expect(listed.stdout.match(/acct_1#inc"/g)).toHaveLength(1);
    const json = JSON.parse((await dlq('list', '--json')).stdout);
    const count = await lying();
    expect(json).toMatchObject({ failures: count, unseen: 0, lines: [{ count, key: root }] });

    const still = await dlq('redrive', '--all');
    expect(still.code).toBe(1);
    expect(still.stdout).toMatch(/dead-lettered again {2}root\.invalid {2}incident-on-participations/);
    // Dead letters with the same request are redriven as one message, and dead-lettered as one.
    expect(await lying()).toBeGreaterThanOrEqual(1);
    expect(await lying()).toBeLessThanOrEqual(count);

    // dev has ended, so only the redriven propagation can update the copy.
    await application.put({ ...broken, State: 'CLOSED', Title: 'another secret' });
    const { id } = json.lines[0];
    const shown = await dlq('show', id.slice(0, 6));
    expect(shown.stdout).toMatch(new RegExp(`^${id}\n.*rule +incident-on-participations`, 's'));
    const redriven = await dlq('redrive', '--id', JSON.stringify(root));
    expect([redriven.code, redriven.stderr]).toEqual([0, '']);
    expect(redriven.stdout).toMatch(/^redriven {2}\d dead letters?, as \d messages?\n$/);
    expect(await application.get(participationKey)).toMatchObject({
      Title: 'another secret',
      GSI1SK: 'CLOSED#2021-02-24T19:28:41Z',
    });
    expect((await dlq('list')).stdout).toBe(`No failures in .denorm/dead-letters and .denorm/on-failure\n`);
    for (const ran of [listed, still, shown, redriven])
      expect(ran.stdout + ran.stderr).not.toContain('secret');
  });

  test('runs the propagations of an index, without waiting a minute for the recheck', async () => {
    const rule = 'username-on-memberships';
    const asked = { rule, root: { pk: 'USER#1', sk: '#METADATA' } };
    const { application, dlq } = await stage([deadLetterAbout('', asked)]);
    await application.put(user);
    await application.put(membership);

    expect((await dlq('redrive', '--rule', rule)).code).toBe(0);
    expect((await dlq('redrive', '--rule', rule)).stdout).toBe(
      'No such failures in .denorm/dead-letters and .denorm/on-failure\n',
    );
    expect(await application.get(membershipKey)).toMatchObject({ username: 'Johanna' });
  });

  test('redrives removals only with --allow-remove', async () => {
    const locations = [{ in: 'partition' as const, pk: participation.PK }];
    const removal = deadLetterAbout(root.PK, { cause: 'deleted', locations });
    const { application, dlq, lying } = await stage([removal, deadLetterAbout(root.PK)]);
    await application.put(participation);

    const careful = await dlq('redrive', '--all');
    expect(careful.code).toBe(1);
    expect(careful.stdout).toMatch(
      /^redriven {2}1 dead letter, as 1 message\nkept {2}1 dead letter .*--allow-remove/,
    );
    expect(await application.get(participationKey)).toBeDefined();
    expect(await lying()).toBe(1);

    expect(await dlq('redrive', '--all', '--allow-remove')).toMatchObject({ code: 0 });
    expect(await application.get(participationKey)).toBeUndefined();
    expect(await lying()).toBe(0);
  });

  test('prints what it would redrive in a dry run, and writes nothing', async () => {
    const { application, cwd, lying, refuseWrites } = await stage([
      deadLetterAbout('acct_1#inc'),
      deadLetterAbout('acct_2#inc'),
    ]);
    await application.put(incident);
    await application.put(participation);
    const refusing = await refuseWrites();
    const { code, stdout } = await run(['dlq', 'redrive', '--all', '--dry-run', ...refusing.at], cwd);

    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^would redrive {2}incident-on-participations {2}\{"PK":"acct_1#inc".*\nwould .*acct_2#inc/,
    );
    expect(refusing.refused).toEqual([]);
    expect(await lying()).toBe(2);
  });

  test('keeps dead letters without a valid propagation, and gives a reason for each', async () => {
    const record = { code: 'record.unreadable', reason: 'no keys', record: '77' };
    const { dlq, lying } = await stage([
      deadLetterAbout('acct_1#inc', { rule: 'of-yesterday' }),
      record,
      'a secret',
    ]);
    const { code, stdout } = await dlq('redrive', '--all', '--json');

    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      dryRun: false,
      redriven: { deadLetters: 0, messages: 0, batches: 0 },
      kept: { removals: 0, unknownRule: 1, withoutMessage: 2, notReached: 0, batches: 0 },
      ...{ leftOut: 0, batches: [], deadLetteredAgain: [] },
    });
    const listed = await dlq('list');
    expect(listed.stdout).toContain('dead-letter.unreadable');
    expect(listed.stdout).toContain('77');
    expect(listed.stdout).not.toContain('secret');
    expect(await lying()).toBe(3);
  });

  describe('drops', () => {
    const stageThree = () =>
      stage(['acct_1#inc', 'acct_1#inc', 'acct_2#inc'].map((pk) => deadLetterAbout(pk)));

    test('nothing without --yes', async () => {
      const { dlq, lying } = await stageThree();
      const { code, stderr } = await dlq('drop', '--all');

      expect(code).toBe(2);
      expect(stderr).toMatch(/^denorm: usage\.yes: Expected --yes, .*3 failures in 2 lines.*\n$/m);
      expect(await lying()).toBe(3);
    });

    test('all dead letters, once', async () => {
      const { dlq, lying } = await stageThree();

      expect(await dlq('drop', '--all', '--yes')).toMatchObject({ code: 0 });
      expect(await lying()).toBe(0);
      expect((await dlq('drop', '--all', '--yes')).stdout).toMatch(/^No such failures in/);
    });
  });

  test('stops on Ctrl-C, and keeps the dead letters that it has not reached', async () => {
    const deadLetters = Array.from({ length: 9 }, (_, index) => deadLetterAbout(`acct_${index}#inc`));
    const { at, cwd, lying } = await stage(deadLetters);
    const redrive = start(['dlq', 'redrive', '--all', '--rate', '1', ...at], cwd);
    await until(async () => (await lying()) < 9, 'the first is redriven');
    redrive.process.kill('SIGINT');

    expect(await redrive.exited).toBe(1);
    expect(redrive.stderr()).toMatch(/^denorm: stopping/);
    expect(redrive.stdout()).toMatch(
      /^redriven {2}[1-3] dead letters?, .*\nkept {2}[6-8] dead letters that were not reached/,
    );
    expect(await lying()).toBeGreaterThan(5);
  });

  test('changes no dead letter if the table is out of reach', async () => {
    const { cwd, lying } = await stage([deadLetterAbout('acct_1#inc')]);
    const { code, stderr } = await run(['dlq', 'redrive', '--all', '--endpoint', 'http://127.0.0.1:1'], cwd);

    expect(code).toBe(2);
    expect(stderr).toMatch(/^denorm: aws\.unreachable: GetItem .*nothing listens at 127\.0\.0\.1:\d+: .*\n$/);
    expect(await lying()).toBe(1);
  });
});

describe('denorm dlq on a stack', () => {
  async function stack(deadLetters: readonly object[]) {
    const cloud = await stubCloud();
    for (const deadLetter of deadLetters) cloud.deadLetters.add(JSON.stringify(deadLetter));
    const at = ['--stack', 'prod', '--endpoint', cloud.endpoint];
    return { cloud, dlq: (...args: string[]) => run(['dlq', ...args, ...at], newFolder()) };
  }

  const asked: Message = {
    ...{ rule: 'incident-on-participations', root: { pk: 'acct_1#inc', sk: 'inc_1' } },
    ...{ cause: 'changed', attempts: 12 },
  };
  const deadLettered = { code: 'attempts.exceeded', reason: 'Gave up', message: asked };

  test('lists the dead letters, and makes them visible again', async () => {
    const { cloud, dlq } = await stack([deadLettered, deadLettered, asked, { not: 'ours' }]);
    const { code, stdout } = await dlq('list', '--json');

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      lines: [
        { rule: asked.rule, count: 3, causes: ['changed'] },
        { code: 'dead-letter.unreadable', count: 1 },
      ],
      failures: 4,
      unseen: 0,
    });
    expect(cloud.deadLetters.hidden()).toBe(0);
    expect(cloud.deadLetters.standing()).toHaveLength(4);
  });

  test('sends a message to the fan-out queue with its attempts reset, and then deletes its dead letters', async () => {
    const { cloud, dlq } = await stack([deadLettered, asked, { ...asked, cause: 'deleted' }]);
    const { code, stdout } = await dlq('redrive', '--all');

    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^redriven {2}2 dead letters, as 1 message\nkept {2}1 dead letter of deleted or expired roots/,
    );
    expect(cloud.deadLetters.sent.map((body) => JSON.parse(body))).toEqual([{ ...asked, attempts: 0 }]);
    expect(cloud.deadLetters.standing()).toHaveLength(1);
    expect(cloud.deadLetters.hidden()).toBe(0);
    const actions = cloud.deadLetters.actions.filter((action) => /Send|Delete/.test(action));
    expect(actions).toEqual(['SendMessageBatch', 'DeleteMessageBatch']);
  });

  test('needs no stack if it is given the URLs of the queues', async () => {
    const { cloud } = await stack([deadLettered]);
    const queue = (name: string) => `${cloud.endpoint}/123456789012/${name}`;
    const at = ['--endpoint', cloud.endpoint, '--dead-letter-queue-url', queue('dead-letters')];
    const dlq = (...args: string[]) => run(['dlq', ...args, ...at], newFolder());

    expect(JSON.parse((await dlq('list', '--json')).stdout)).toMatchObject({ failures: 1 });
    expect(await dlq('redrive', '--all')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Expected --queue-url URL beside --dead-letter-queue-url, got none'),
    });
    expect(await dlq('redrive', '--all', '--queue-url', queue('fan-out'))).toMatchObject({ code: 0 });
    expect(cloud.deadLetters.sent.map((body) => JSON.parse(body))).toEqual([{ ...asked, attempts: 0 }]);
  });

  test('reports a missing permission, and lists what it can see', async () => {
    const { cloud, dlq } = await stack([deadLettered]);
    cloud.deadLetters.answerNext('ReceiveMessage', {
      status: 403,
      type: 'com.amazonaws.sqs#AccessDeniedException',
    });
    expect(await dlq('list')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^denorm: aws\.denied: ReceiveMessage of .* was denied.*\n$/),
    });

    const { stdout } = await dlq('list', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ failures: 1 });
  });

  test('makes the dead letters visible again on Ctrl-C', async () => {
    const cloud = await stubCloud();
    for (let index = 0; index < 30; index += 1)
      cloud.deadLetters.add(
        JSON.stringify({ ...deadLettered, message: { ...asked, root: { pk: `${index}`, sk: 'a' } } }),
      );
    const redrive = start(
      ['dlq', 'redrive', '--all', '--rate', '1', '--stack', 'prod', '--endpoint', cloud.endpoint],
      newFolder(),
    );
    await until(() => cloud.deadLetters.sent.length > 0, 'the first is sent');
    redrive.process.kill('SIGINT');

    expect(await redrive.exited).toBe(1);
    expect(cloud.deadLetters.hidden()).toBe(0);
    expect(cloud.deadLetters.standing().length).toBe(30 - cloud.deadLetters.sent.length);
  });
});

describe('denorm dlq refuses in one sentence, with 2,', () => {
  test.each([
    ['no selection', ['redrive'], /one of --id ID, --rule NAME, --of FUNCTION and --all/],
    ['two selections', ['redrive', '--all', '--rule', 'a'], /--all.*--rule|--rule.*--all/],
    ['an unknown id', ['show', 'abcdef'], /no line 'abcdef': see `denorm dlq list`/],
    ['too short an id', ['show', 'a'], /four digits/],
    ['a key without dead letters', ['show', '{"PK":"a","SK":"b"}'], /or the key of its root, found no line/],
    ['an invalid key', ['show', '{"PK":"a"}'], /item key as JSON/],
    ['an invalid rate', ['redrive', '--all', '--rate', '0'], /number above 0/],
    ['an unknown stack', ['list', '--stack', 'none'], /found none called none/],
    ['an unknown command', ['forget'], /unknown command/],
    ['an unknown option', ['list', '--colour'], /--colour/],
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
