import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { ApplicationTable } from '../../scripts/demo/application-table.ts';
import { projectFolder } from '../../scripts/python-tools.ts';
import { freePort } from '../../src/dev/local-server.ts';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { envFileName, queueUrl } from '../../src/dev/sam/sam-command.ts';
import { table } from '../../src/table.ts';
import { until } from '../deployed/until.ts';

/** A program that has ended. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `sam local invoke` uses this image, where AWS's own cannot be pulled. */
const image = process.env['SAM_LOCAL_IMAGE'];
export const imageOptions = image === undefined ? [] : ['--skip-pull-image', '--invoke-image', image];

const launcher = join(projectFolder, 'bin/denorm.mjs');

/** Runs a program in the project's folder. */
export async function run(program: string, args: readonly string[]): Promise<Ran> {
  const child = spawn(program, args, { cwd: projectFolder, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  const [code] = await once(child, 'close');
  return { code: typeof code === 'number' ? code : null, ...said };
}

/** `denorm dev --sam --no-worker`, and what stands in its table, its queues and its bucket. */
export async function openDevEnvironment() {
  const stateDir = mkdtempSync(join(tmpdir(), 'denorm-sam-'));
  const port = await freePort();
  const args = ['dev', '--sam', '--no-worker', '--port', String(port), '--state-dir', stateDir];
  const dev = spawn(process.execPath, [launcher, ...args], {
    cwd: projectFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [dev.stdout, dev.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const exited = once(dev, 'exit');
  await until(
    'the command of denorm dev --sam',
    async () => dev.exitCode !== null || /local invoke/.test(said),
    90_000,
  );
  const [, services = ''] = /queue and bucket at (\S+),/.exec(said) ?? [];
  if (services === '') throw new Error(`Expected denorm dev --sam to start, and it said:\n${said}`);
  const endpoint = `http://127.0.0.1:${port}`;
  const dynamoDb = new DynamoDBClient(loopbackClientSettings(endpoint));
  const sqs = new SQSClient(loopbackClientSettings(services));
  const s3 = new S3Client({ ...loopbackClientSettings(services), forcePathStyle: true });
  const application = new ApplicationTable(endpoint, 'app', table);
  const written = readFileSync(join(stateDir, envFileName));
  const bucket = { Bucket: 'denorm-local' };
  return {
    stateDir,
    said: () => said,
    application,
    /** Every item of the table, as DynamoDB spells it. */
    items: async () =>
      (await dynamoDb.send(new ScanCommand({ TableName: 'app', ConsistentRead: true }))).Items ?? [],
    /** How many messages a queue holds, delayed ones among them. */
    async waiting(queue: 'fan-out' | 'dead-letters'): Promise<number> {
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrl(services, queue), AttributeNames: ['All'] }),
      );
      return (
        Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesDelayed)
      );
    },
    /** Empties table, queues and bucket, and writes the env file as it was. */
    async clear(): Promise<void> {
      const { Items = [] } = await dynamoDb.send(new ScanCommand({ TableName: 'app' }));
      for (const { PK, SK } of Items) await application.delete({ pk: PK?.S ?? '', sk: SK?.S ?? '' });
      for (const queue of ['fan-out', 'dead-letters'])
        await sqs.send(new PurgeQueueCommand({ QueueUrl: queueUrl(services, queue) }));
      const { Versions = [] } = await s3.send(new ListObjectVersionsCommand(bucket));
      for (const { Key, VersionId } of Versions)
        await s3.send(new DeleteObjectCommand({ ...bucket, Key, VersionId }));
      writeFileSync(join(stateDir, envFileName), written);
    },
    /** The bucket's objects, each with its text. */
    async objects(): Promise<Map<string, string>> {
      const { Versions = [] } = await s3.send(new ListObjectVersionsCommand(bucket));
      const texts = Versions.map(async ({ Key = '', VersionId }): Promise<[string, string]> => {
        const { Body } = await s3.send(new GetObjectCommand({ ...bucket, Key, VersionId }));
        return [Key, (await Body?.transformToString()) ?? ''];
      });
      return new Map(await Promise.all(texts));
    },
    async close(): Promise<void> {
      dev.kill('SIGTERM');
      await exited;
      const left = existsSync(join(stateDir, envFileName));
      for (const client of [dynamoDb, sqs, s3, application])
        'close' in client ? client.close() : client.destroy();
      rmSync(stateDir, { recursive: true, force: true });
      if (left) throw new Error('Expected `denorm dev --sam` to remove its env file when it ends');
    },
  };
}

export type DevEnvironment = Awaited<ReturnType<typeof openDevEnvironment>>;
