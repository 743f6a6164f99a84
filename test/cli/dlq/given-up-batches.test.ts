import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  failedBatchFolder,
  onFailureFolder,
  onFailureRecord,
} from '../../../src/develop/dev/event-source/on-failure-folder.ts';
import { deadLetterFolder } from '../../../src/develop/dev/queue/dead-letter-folder.ts';
import { lambdaImage } from '../../../src/operate/adapters/dynamodb/lambda-record.ts';
import { failureKey } from '../../suites/failed-batches.suite.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { type Ran, run } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { incident, membership, membershipKey, participation, participationKey, user } from '../items.ts';
import { stubCloud } from '../stub-cloud.ts';

const { newTable } = embeddedTables();

type Plain = Readonly<Record<string, string | number>>;

const image = (item: Plain) =>
  lambdaImage(
    Object.fromEntries(
      Object.entries(item).map(([name, value]) => [
        name,
        typeof value === 'string' ? { S: value } : { N: String(value) },
      ]),
    ),
  );

let sequence = 100_000_000_000_000_000_000n;

/** A stream record, as Lambda delivers it. */
function record(
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE',
  { before, after, byService = false }: { before?: Plain; after?: Plain; byService?: boolean },
) {
  sequence += 1n;
  const { PK = '', SK = '' } = after ?? before ?? {};
  return {
    ...{ eventID: String(sequence), eventName, eventVersion: '1.1', eventSource: 'aws:dynamodb' },
    ...(byService && { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } }),
    dynamodb: {
      ApproximateCreationDateTime: 1_790_000_000,
      Keys: image({ PK, SK }),
      ...(after && { NewImage: image(after) }),
      ...(before && { OldImage: image(before) }),
      SequenceNumber: String(sequence),
      StreamViewType: 'NEW_AND_OLD_IMAGES' as const,
    },
  };
}

function givenUp(functionName: string, ...records: readonly ReturnType<typeof record>[]) {
  return onFailureRecord({
    ...{
      functionName,
      records,
      streamArn: 'arn:aws:dynamodb:us-east-1:1:table/t/stream/1',
      shardId: 'shardId-1',
    },
    ...{ condition: 'RetryAttemptsExhausted', invocations: 11, threw: true },
  });
}

const changed = record('MODIFY', { before: { ...incident, State: 'OPEN' }, after: incident });

/** A folder of `denorm dev` with batches that it gave up, a separate table, and `denorm dlq` on both. */
async function stage(...batches: readonly ReturnType<typeof givenUp>[]) {
  const { application, at, refuseWrites } = await newTable();
  const cwd = newFolder();
  const keep = onFailureFolder(join(cwd, '.denorm'));
  for (const batch of batches) await keep(batch, batch.requestContext.functionArn.split(':').at(-1) ?? '');
  return {
    ...{ application, cwd, refuseWrites },
    dlq: (...args: readonly string[]): Promise<Ran> => run(['dlq', ...args, ...at], cwd),
    redrive: (...args: readonly string[]): Promise<Ran> =>
      run(['dlq', 'redrive', '--all', ...args, ...at], cwd),
    async standing(): Promise<number> {
      let count = 0;
      for await (const _ of failedBatchFolder(join(cwd, '.denorm/on-failure')).keys()) count += 1;
      return count;
    },
  };
}

describe('denorm dlq on batches that denorm dev gave up', () => {
  test('updates copies from the current table, and removes the batch', async () => {
    const { application, redrive, standing } = await stage(givenUp('Propagate', changed));
    await application.put({ ...incident, Title: 'newer still' });
    await application.put(participation);
    const { code, stdout, stderr } = await redrive();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^redriven {2}Propagate {2}1 record {2}.*\nredriven {2}1 batch\n$/);
    expect(await application.get(participationKey)).toMatchObject({
      Title: 'newer still',
      GSI1SK: 'CLOSED#2021-02-24T19:28:41Z',
    });
    expect(await standing()).toBe(0);
    expect(stdout).not.toContain('secret');
    expect((await redrive()).stdout).toBe(
      'No such failures in .denorm/dead-letters and .denorm/on-failure\n',
    );
  });

  test('lists the batches in a dry run, and writes nothing', async () => {
    const { application, cwd, standing, refuseWrites } = await stage(givenUp('Propagate', changed));
    await application.put(incident);
    await application.put(participation);
    const refusing = await refuseWrites();
    const { code, stdout } = await run(['dlq', 'redrive', '--all', '--dry-run', ...refusing.at], cwd);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^would redrive {2}Propagate {2}1 record {2}Propagate\/2.*\n$/);
    expect(stdout).not.toContain('secret');
    expect(refusing.refused).toEqual([]);
    expect(await standing()).toBe(1);
  });

  test('are in one list with the dead letters, and are shown and dropped like them', async () => {
    const { cwd, dlq, standing } = await stage(
      givenUp('Propagate', changed, record('REMOVE', { before: user })),
    );
    const record77 = { code: 'record.unreadable', reason: 'no keys', record: '77' };
    await deadLetterFolder(join(cwd, '.denorm')).deadLetter([record77]);

    const listed = await dlq('list');
    expect(listed.stdout).toMatch(/batch\.given-up[\s\S]*record\.unreadable[\s\S]*\n2 failures in 2 lines/);
    const { lines, ...numbers } = JSON.parse((await dlq('list', '--json')).stdout);
    expect(numbers).toEqual({ failures: 2, unseen: 0 });
    const ofPropagate = JSON.parse((await dlq('list', '--of', 'Propagate', '--json')).stdout);
    expect(ofPropagate).toMatchObject({ failures: 1 });
    expect((await dlq('list', '--of', 'Archive')).stdout).toMatch(/^No failures in/);
    const { id } = lines.find(({ code }: { code: string }) => code === 'batch.given-up');
    const shown = await dlq('show', id);
    expect(shown.stdout).toContain('2 records of Propagate, 1 removal');
    expect(shown.stdout).not.toContain('secret');
    expect((await dlq('redrive', '--rule', 'incident-on-participations')).stdout).toMatch(
      /^No such failures/,
    );

    expect((await dlq('drop', '--id', id, '--yes')).stdout).toBe('dropped  1 failure in 1 line\n');
    expect(await standing()).toBe(0);
  });

  test('also runs the propagations that follow, without waiting a minute for an index', async () => {
    const renamed = record('MODIFY', { before: { ...user, username: 'John' }, after: user });
    const { application, redrive } = await stage(givenUp('Propagate', renamed));
    await application.put(user);
    await application.put(membership);

    expect((await redrive()).code).toBe(0);
    expect(await application.get(membershipKey)).toMatchObject({ username: 'Johanna' });
  });

  test('archives the last state of an item that is gone, whatever the options are', async () => {
    const last = { ...incident, ExpiresAt: 1_700_000_000 };
    const expired = record('REMOVE', { before: last, byService: true });
    const { cwd, redrive, standing } = await stage(givenUp('Archive', expired));

    expect((await redrive()).code).toBe(0);
    expect(await standing()).toBe(0);
    const archived = join(cwd, '.denorm/archive/Incident/acct_1%23inc');
    expect(readdirSync(archived)).toContain(`inc_1.json.${expired.dynamodb.SequenceNumber}`);
  });

  test('propagates removals only with --allow-remove, and the rest of their batch in any case', async () => {
    const removed = record('REMOVE', { before: { ...incident, PK: 'acct_2#inc', SK: 'inc_2' } });
    const orphan = { ...participation, PK: 'acct_2#inc_2#incpart' };
    const { application, redrive, standing } = await stage(givenUp('Propagate', changed, removed));
    for (const item of [incident, participation, orphan]) await application.put(item);

    const careful = await redrive('--json');
    expect(careful.code).toBe(1);
    expect(JSON.parse(careful.stdout)).toMatchObject({
      ...{ redriven: { batches: 0 }, kept: { batches: 1 }, leftOut: 1, deadLetteredAgain: [] },
      batches: [{ function: 'Propagate', records: 2, leftOut: 1, outcome: 'kept' }],
    });
    expect(await application.get(participationKey)).toMatchObject({ Title: 'a secret' });
    expect(await application.get({ pk: orphan.PK, sk: orphan.SK })).toBeDefined();
    expect(await standing()).toBe(1);

    expect((await redrive('--allow-remove')).code).toBe(0);
    expect(await application.get({ pk: orphan.PK, sk: orphan.SK })).toBeUndefined();
    expect(await standing()).toBe(0);
  });

  test('dead-letters a root that only a person can correct, and reports it', async () => {
    const { State: _, ...stateless } = incident;
    const inserted = record('INSERT', { after: stateless });
    const { application, cwd, redrive, standing } = await stage(givenUp('Propagate', inserted));
    await application.put(stateless);
    await application.put(participation);
    const { code, stdout } = await redrive();

    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^redriven {2}Propagate .*\nredriven {2}1 batch\ndead-lettered again {2}root\.invalid {2}incident-on-participations /,
    );
    expect(stdout).not.toContain('secret');
    expect(await standing()).toBe(0);
    const { deadLetters } = await deadLetterFolder(join(cwd, '.denorm')).look();
    expect(deadLetters).toHaveLength(1);
  });

  test('keeps the batch if the table is out of reach', async () => {
    const { cwd, standing } = await stage(givenUp('Propagate', changed));
    const { code, stdout } = await run(['dlq', 'redrive', '--all', '--endpoint', 'http://127.0.0.1:1'], cwd);

    expect(code).toBe(1);
    expect(stdout).toMatch(/^kept {2}Propagate .*GetItem .*nothing listens at 127\.0\.0\.1:1: /);
    expect(await standing()).toBe(1);
  });
});

describe('denorm dlq on the failure buckets of a stack', () => {
  async function stack(objects: Readonly<Record<string, unknown>>, without?: string) {
    const cloud = await stubCloud(without);
    for (const [name, object] of Object.entries(objects)) {
      const text = JSON.stringify(object);
      const bucket = text.includes('function:prod-Archive') ? cloud.archiveFailed : cloud.failed;
      bucket.put(failureKey('2026-11-20', name), text);
    }
    const at = ['--stack', 'prod', '--endpoint', cloud.endpoint];
    return {
      cloud,
      at,
      redrive: (...args: string[]) => run(['dlq', 'redrive', '--all', ...args, ...at], newFolder()),
    };
  }

  const removed = record('REMOVE', { before: incident });

  test('invokes the current function, also for batches that its predecessor gave up', async () => {
    const { cloud, redrive } = await stack({
      a: givenUp('prod-Propagate-A1', changed, changed),
      b: givenUp('prod-Archive-B2', removed),
      c: givenUp('prod-Propagate-OLD0', changed),
      d: givenUp('other-Propagate-A1', changed),
    });
    const forged = failureKey('2026-11-20', 'forged');
    cloud.failed.put(forged, JSON.stringify(givenUp('prod-Archive-B2', removed)));
    const { code, stdout } = await redrive();

    expect(cloud.invocations).toEqual([
      ['prod-Propagate-A1', 2],
      ['prod-Propagate-A1', 1],
      ['prod-Archive-B2', 1],
    ]);
    expect(cloud.failed.standing()).toEqual([failureKey('2026-11-20', 'd'), forged]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/other-Propagate-A1: expected Propagate or Archive, alone or /);
    expect(stdout).toMatch(/^kept {2}Archive .*forged {2}it says that it is of Archive, but .*Propagate/m);
    expect(stdout).toMatch(/\nredriven {2}3 batches\nkept {2}2 batches\n$/);
  });

  test('asks whose bucket --failure-bucket names', async () => {
    const { redrive } = await stack({});
    const { code, stderr } = await redrive('--failure-bucket', 'prod-failed');

    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^denorm: usage\.of: Expected --failure-bucket with --of Propagate or --of Archive, got/,
    );
    expect((await redrive('--failure-bucket', 'prod-failed', '--of', 'Propagate')).code).toBe(0);
  });

  test('invokes the function that a batch names, where there is no stack', async () => {
    const { cloud } = await stack({ a: givenUp('shop-Propagate', changed) });
    const at = ['--failure-bucket', 'prod-failed', '--of', 'Propagate', '--endpoint', cloud.endpoint];
    const { code } = await run(['dlq', 'redrive', '--all', ...at], newFolder());

    expect([code, cloud.invocations]).toEqual([0, [['shop-Propagate', 1]]]);
    expect(cloud.failed.standing()).toEqual([]);
  });

  test('keeps batches of Archive if the stack has no such function any more, and redrives the others', async () => {
    const objects = { a: givenUp('prod-Archive-B2', removed), b: givenUp('prod-Propagate-A1', changed) };
    const { cloud, redrive } = await stack(objects, 'ArchiveFunction');
    const { code, stdout } = await redrive();

    expect(cloud.invocations).toEqual([['prod-Propagate-A1', 1]]);
    expect(cloud.archiveFailed.standing()).toEqual([failureKey('2026-11-20', 'a')]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /1 of 1 records failed again: nothing is archived any more: remove the batch, or add/,
    );
  });

  test('reports a missing permission', async () => {
    const { cloud, redrive } = await stack({ a: givenUp('prod-Propagate-A1', changed) });
    cloud.answers = { status: 403, headers: { 'x-amzn-errortype': 'AccessDeniedException' }, body: '{}' };
    const { code, stderr } = await redrive();

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^denorm: aws\.denied: Invoke \(lambda:InvokeFunction\) of prod-Propagate-A1 was denied.*\n$/,
    );
    expect(cloud.failed.standing()).toHaveLength(1);
  });
});
