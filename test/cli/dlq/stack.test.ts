import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import type { Message } from '../../../src/model/work/message.ts';
import { sqsDeadLetterReader } from '../../../src/operate/adapters/dead-letter-queue.ts';
import { failureKey } from '../../suites/failed-batches.suite.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run, start, until } from '../denorm.ts';
import { incident } from '../items.ts';
import { stubCloud } from '../stub-cloud.ts';
import { givenUp, record } from './failed-work.ts';

const asked: Message = {
  ...{ rule: 'incident-on-participations', root: { pk: 'acct_1#inc', sk: 'inc_1' } },
  ...{ cause: 'changed', attempts: 12 },
};
const deadLettered = { code: 'attempts.exceeded', reason: 'Gave up', message: asked };
const changed = record({ ...incident, State: 'OPEN' }, incident);
const removed = record(incident);

/** A stack with these dead letters and failed batches, and `denorm dlq` on it. */
async function stack(
  deadLetters: readonly object[],
  batches: Readonly<Record<string, unknown>> = {},
  without?: string,
) {
  const cloud = await stubCloud(without);
  for (const deadLetter of deadLetters) cloud.deadLetters.add(JSON.stringify(deadLetter));
  for (const [name, batch] of Object.entries(batches)) {
    const text = JSON.stringify(batch);
    const bucket = text.includes('function:prod-Archive') ? cloud.archiveFailed : cloud.failed;
    bucket.put(failureKey('2026-11-20', name), text);
  }
  const at = ['--stack', 'prod', '--endpoint', cloud.endpoint];
  return { cloud, at, dlq: (...args: string[]) => run(['dlq', ...args, ...at], newFolder()) };
}

test('denorm dlq lists the dead letters of a stack, and makes them visible again', async () => {
  const { cloud, dlq } = await stack([deadLettered, deadLettered, asked, { not: 'ours' }]);
  const { code, stdout } = await dlq('list', '--json');

  expect(code).toBe(0);
  expect(JSON.parse(stdout).summary).toMatchObject({
    lines: [
      { rule: asked.rule, count: 3, causes: ['changed'] },
      { code: 'dead-letter.unreadable', count: 1 },
    ],
    ...{ failures: 4, unseen: 0 },
  });
  expect(cloud.deadLetters.hidden()).toBe(0);
  expect(cloud.deadLetters.standing()).toHaveLength(4);
});

test('it is not fine, and calls nothing empty, while another reader hides dead letters', async () => {
  const { cloud, dlq } = await stack([deadLettered, deadLettered]);
  const other = sqsDeadLetterReader({
    client: new SQSClient({
      ...{ region: 'us-east-1', endpoint: cloud.endpoint },
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
    queueUrl: `${cloud.endpoint}/123456789012/dead-letters`,
  });
  onTestFinished(async () => void (await other.close()));
  await other.look(() => {});

  for (const args of [
    ['list'],
    ['list', '--rule', 'of-one-hidden'],
    ['redrive', '--all'],
    ['drop', '--all', '--yes'],
  ])
    expect(await dlq(...args)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Received no failures from /),
      stderr: expect.stringContaining('could not receive about 2 dead letters more'),
    });
});

test('it sends a message to the fan-out queue with its attempts reset, and then deletes its dead letters', async () => {
  const { cloud, dlq } = await stack([deadLettered, asked, { ...asked, cause: 'deleted' }]);
  const { code, stdout } = await dlq('redrive', '--all');

  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^redriven {2}2 dead letters, as 1 message\nFanOut .*\n\$ npx denorm dlq list .*\nkept {2}1 dead letter of deleted or expired roots: add --allow-remove/,
  );
  expect(cloud.deadLetters.sent.map((body) => JSON.parse(body))).toEqual([{ ...asked, attempts: 0 }]);
  expect(cloud.deadLetters.standing()).toHaveLength(1);
  expect(cloud.deadLetters.hidden()).toBe(0);
  const actions = cloud.deadLetters.actions.filter((action) => /Send|Delete/.test(action));
  expect(actions).toEqual(['SendMessageBatch', 'DeleteMessageBatch']);
});

test('it needs no stack if it is given the URLs of the queues', async () => {
  const { cloud } = await stack([deadLettered]);
  const queue = (name: string) => `${cloud.endpoint}/123456789012/${name}`;
  const at = ['--endpoint', cloud.endpoint, '--dead-letter-queue-url', queue('dead-letters')];
  const dlq = (...args: string[]) => run(['dlq', ...args, ...at], newFolder());

  expect(JSON.parse((await dlq('list', '--json')).stdout).summary).toMatchObject({ failures: 1 });
  expect(await dlq('redrive', '--all')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Expected --queue-url URL beside --dead-letter-queue-url, got none'),
  });
  expect(await dlq('redrive', '--all', '--queue-url', queue('fan-out'))).toMatchObject({ code: 0 });
  expect(cloud.deadLetters.sent.map((body) => JSON.parse(body))).toEqual([{ ...asked, attempts: 0 }]);
});

test('it stops on Ctrl-C, and makes the dead letters that it has not reached visible again', async () => {
  const letters = Array.from({ length: 30 }, (_, pk) => ({
    ...{ ...deadLettered, message: { ...asked, root: { pk: `${pk}`, sk: 'a' } } },
  }));
  const { cloud, at } = await stack(letters);
  const redrive = start(['dlq', 'redrive', '--all', '--rate', '1', ...at], newFolder());
  await until(() => cloud.deadLetters.sent.length > 0, 'the first is sent');
  redrive.process.kill('SIGINT');

  expect(await redrive.exited).toBe(1);
  expect(redrive.stderr()).toMatch(/^denorm: stopping/);
  const left = 30 - cloud.deadLetters.sent.length;
  expect(redrive.stdout()).toContain(`kept  ${left} dead letters that were not reached`);
  expect(cloud.deadLetters.hidden()).toBe(0);
  expect(cloud.deadLetters.standing().length).toBe(left);
});

test('it invokes the current function, also for batches that its predecessor gave up', async () => {
  const { cloud, dlq } = await stack([], {
    a: givenUp('prod-Propagate-A1', changed, changed),
    b: givenUp('prod-Archive-B2', removed),
    c: givenUp('prod-Propagate-OLD0', changed),
    d: givenUp('other-Propagate-A1', changed),
  });
  const forged = failureKey('2026-11-20', 'forged');
  cloud.failed.put(forged, JSON.stringify(givenUp('prod-Archive-B2', removed)));
  const { code, stdout } = await dlq('redrive', '--all');

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

test('it invokes the function that a batch names, where there is no stack', async () => {
  const { cloud } = await stack([], { a: givenUp('shop-Propagate', changed) });
  const at = ['--failure-bucket', 'prod-failed', '--of', 'Propagate', '--endpoint', cloud.endpoint];
  const { code } = await run(['dlq', 'redrive', '--all', ...at], newFolder());

  expect([code, cloud.invocations]).toEqual([0, [['shop-Propagate', 1]]]);
  expect(cloud.failed.standing()).toEqual([]);
});

test('it keeps batches of Archive if the stack has no such function any more, and redrives the others', async () => {
  const batches = { a: givenUp('prod-Archive-B2', removed), b: givenUp('prod-Propagate-A1', changed) };
  const { cloud, dlq } = await stack([], batches, 'ArchiveFunction');
  const { code, stdout } = await dlq('redrive', '--all');

  expect(cloud.invocations).toEqual([['prod-Propagate-A1', 1]]);
  expect(cloud.archiveFailed.standing()).toEqual([failureKey('2026-11-20', 'a')]);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /1 of 1 records failed again: nothing is archived any more: remove the batch, or add/,
  );
});
