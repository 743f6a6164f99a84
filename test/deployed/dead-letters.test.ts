import { randomUUID } from 'node:crypto';
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { onFailureRecord } from '../../src/dev/event-source/on-failure-folder.ts';
import type { StreamFunction } from '../../src/model/work/settings.ts';
import { sqsDeadLetterReader } from '../../src/operate/adapters/dead-letter-queue.ts';
import { s3FailedBatches } from '../../src/operate/adapters/failure-buckets.ts';
import { describeDeadLetterReader } from '../suites/dead-letter-reader.suite.ts';
import { describeFailedBatches } from '../suites/failed-batches.suite.ts';
import type { Key } from './application.ts';
import { archiveKey, objectAt } from './archive-bucket.ts';
import { application, clients, denorm, stack } from './here.ts';
import { record } from './invoke.ts';
import { incidentItems } from './items.ts';
import { until } from './until.ts';

const { s3, sqs } = clients;

describeDeadLetterReader('SQS of the emulator', async () => {
  const { QueueUrl = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName: `dead letters-${randomUUID()}` }),
  );
  const send = async (MessageBody: string) => {
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  };
  return {
    open: () => sqsDeadLetterReader({ client: sqs, queueUrl: QueueUrl }),
    deadLetter: (deadLettered) => send(JSON.stringify(deadLettered)),
    bury: send,
    async close() {},
  };
});

describeFailedBatches('S3 of the emulator', async () => {
  // A folder of its own for each test: the bucket is one for all.
  const prefix = `tests/${randomUUID()}/`;
  const within = s3FailedBatches({ client: s3, bucket: stack.failureBuckets.Propagate, prefix });
  return {
    batches: {
      ...within,
      async *keys() {
        for await (const key of within.keys()) yield key.slice(prefix.length);
      },
      read: (key) => within.read(prefix + key),
      remove: (key) => within.remove(prefix + key),
    },
    put: (key, text) => putFailed('Propagate', prefix + key, text),
    async close() {},
  };
});

async function putFailed(of: StreamFunction, Key: string, Body: string): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket: stack.failureBuckets[of], Key, Body }));
}

interface Line {
  readonly id: string;
  readonly key?: Key;
  readonly code: string;
  readonly count: number;
}

async function lineAbout(isIt: (line: Line) => boolean): Promise<Line | undefined> {
  const { code, stdout, stderr } = await denorm('dlq', 'list', '--json');
  expect([code, stderr]).toEqual([0, '']);
  const { lines }: { readonly lines: readonly Line[] } = JSON.parse(stdout).summary;
  return lines.find(isIt);
}

describe('denorm dlq on the deployed stack', () => {
  it('lists dead letters, and redrives them once the incident is repaired', async () => {
    const { root, said, copies } = incidentItems(2);
    const { State: _, ...stateless } = said;
    await application.put(...copies);
    await application.put({ ...root, ...stateless, Title: 'a secret' });
    const line = await until(`${root.SK} is listed`, () => lineAbout(({ key }) => key?.SK === root.SK));
    expect(line).toMatchObject({ code: 'root.invalid', key: root });
    const shown = await denorm('dlq', 'show', line.id);
    expect(shown.stdout).toContain('incident-on-participations');

    await application.put({ ...root, ...said, State: 'CLOSED', Title: 'mended' });
    for (const copy of copies) await application.holds(copy, { Title: 'mended' });
    const redriven = await denorm('dlq', 'redrive', '--id', line.id);
    expect([redriven.code, redriven.stderr]).toEqual([0, '']);
    expect(redriven.stdout).toMatch(
      /^redriven {2}\d+ dead letters?, as \d+ messages?\nFanOut runs .*\n\$ npx denorm dlq list --stack /,
    );
    expect(await lineAbout(({ key }) => key?.SK === root.SK)).toBeUndefined();
    for (const { stdout, stderr } of [shown, redriven]) expect(stdout + stderr).not.toContain('a secret');
  });
});

describe('denorm dlq on the failure buckets of the deployed stack', () => {
  /** Puts what Lambda would have put there. */
  async function givenUp(of: StreamFunction, ...records: readonly DynamoDBRecord[]) {
    const key = `aws/lambda/${randomUUID()}/shardId-1/2026/11/20/2026-11-20T10.11.12-${randomUUID()}`;
    const batch = onFailureRecord({
      ...{ functionName: stack.functions[of], streamArn: stack.streamArn, shardId: 'shardId-1', records },
      ...{ condition: 'RetryAttemptsExhausted', invocations: 11, threw: true },
    });
    await putFailed(of, key, JSON.stringify(batch));
    return key;
  }

  async function stands(of: StreamFunction, Key: string): Promise<boolean> {
    try {
      await s3.send(new HeadObjectCommand({ Bucket: stack.failureBuckets[of], Key }));
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFound') return false;
      throw error;
    }
  }

  it('invokes the functions with their records, removals only if allowed', async () => {
    const expired = incidentItems(0);
    const last = record('REMOVE', expired.root, {
      before: { ...expired.said, ExpiresAt: 1 },
      byService: true,
    });
    const archive = await givenUp('Archive', last);
    const deleted = incidentItems(3);
    await application.put(...deleted.copies);
    const removal = record('REMOVE', deleted.root, { before: deleted.said });
    const propagate = await givenUp('Propagate', removal);

    const archived = await denorm('dlq', 'redrive', '--of', 'Archive');
    const careful = await denorm('dlq', 'redrive', '--of', 'Propagate');
    expect([careful.code, careful.stderr]).toEqual([1, '']);
    expect(careful.stdout).toContain(
      `kept  Propagate  1 record  ${propagate}  1 removal left out: see --allow-remove`,
    );
    expect(archived.stdout).toContain(`redriven  Archive  1 record  ${archive}`);
    expect([await stands('Archive', archive), await stands('Propagate', propagate)]).toEqual([false, true]);
    const objectKey = `${archiveKey('Incident', expired.root)}.${last.dynamodb?.SequenceNumber}`;
    expect(await objectAt(clients, stack, objectKey)).toBeDefined();
    for (const copy of deleted.copies) expect(await application.get(copy)).toBeDefined();

    expect(await denorm('dlq', 'redrive', '--of', 'Propagate', '--allow-remove')).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await stands('Propagate', propagate)).toBe(false);
    for (const copy of deleted.copies) expect(await application.get(copy)).toBeUndefined();
  });
});
