import { randomBytes } from 'node:crypto';
import {
  AttachUserPolicyCommand,
  CreateAccessKeyCommand,
  CreatePolicyCommand,
  CreateUserCommand,
  IAMClient,
} from '@aws-sdk/client-iam';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/develop/dev/table/free-port.ts';
import { ModelQueue } from '../../src/develop/testing/table-model/model-queue.ts';
import { ModelStream } from '../../src/develop/testing/table-model/model-stream.ts';
import { ModelTable } from '../../src/develop/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../src/develop/testing/table-model/model-table-port.ts';
import type { Item } from '../../src/model/item.ts';
import { listItems } from '../../src/operate/archive/read-states.ts';
import { silentTelemetry } from '../../src/operate/offline/silent-telemetry.ts';
import { s3Archive } from '../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../src/worker/adapters/s3/s3-archive-reader.ts';
import { archiveBatch } from '../../src/worker/archive/archive-batch.ts';
import type { StreamRecord } from '../../src/worker/batch/group.ts';
import { item } from '../fixtures/model/items.ts';
import { table as names } from '../fixtures/model/table.ts';
import { startMiniStack } from '../table-model/fidelity/ministack.ts';
import { newBucket, s3At } from './mini-stack-bucket.ts';
import { registryOfMoorings } from './moorings.ts';

let server: Awaited<ReturnType<typeof startMiniStack>>;
let owner: S3Client;
let bucket: string;
let table: ModelTable;
let records: readonly StreamRecord[];
let queue: ModelQueue;

beforeAll(async () => {
  server = await startMiniStack({ AUTH: 'true' });
  owner = s3At(server.endpoint);
});

afterAll(async () => {
  owner?.destroy();
  await server?.stop();
});

beforeEach(async () => {
  bucket = await newBucket(owner);
  table = new ModelTable(names);
  queue = new ModelQueue();
});

/** What a record is about: an item that is going to expire, and one that has expired. */
const happenings = {
  'going to expire': (some: Item) => table.put(some),
  expired: (some: Item) => {
    table.put(some);
    table.expire({ pk: textOf(some, names.pk), sk: textOf(some, names.sk) });
  },
};

describe.each(['Mooring', 'Passage', 'Charter', 'Sounding', 'Toll'])('a record of a %s', (kind) => {
  describe.each(['going to expire', 'expired'] as const)('that is %s', (happening) => {
    beforeEach(() => {
      happenings[happening](item({ [names.pk]: `${kind}#1`, [names.sk]: 'a', [names.ttl]: 1 }));
      records = new ModelStream(table).take().slice(-1);
    });

    test('stays unacknowledged if the role may not put', async () => {
      const client = await clientOf(['s3:GetObject', 's3:ListBucket']);

      await expect(put(client)).rejects.toMatchObject({ code: 'aws.denied' });
      await comesAfterAll(kind);
    });

    test('stays unacknowledged if the role may not read', async () => {
      const client = await clientOf(['s3:PutObject']);

      await expect(put(client)).rejects.toMatchObject({ name: 'FatalError' });
      await comesAfterAll(kind);
    });

    test('stays unacknowledged if the bucket does not exist', async () => {
      await expect(put(s3At(server.endpoint), 'no-such-bucket')).rejects.toMatchObject({
        code: 'aws.not-found',
      });
      await comesAfterAll(kind);
    });

    test('stays unacknowledged if the region is out of reach', async () => {
      const client = s3At(`http://127.0.0.1:${await freePort()}`);

      const failed = await put(client);
      expect([...failed.values()]).toMatchObject([{ code: 'aws.unreachable', retryable: true }]);
      await comesAfterAll(kind);
    });

    test('stays unacknowledged if its body is damaged on the way', async () => {
      const client = s3At(server.endpoint);
      damageBodies(client);

      const failed = await put(client).catch((error: unknown) => new Map([['all', error]]));
      expect(failed.size).toBe(1);
      await comesAfterAll(kind);
    });
  });
});

function put(client: S3Client, name = bucket): Promise<ReadonlyMap<string, unknown>> {
  const context = {
    registry: registryOfMoorings,
    table: new ModelTablePort(table),
    archive: s3Archive({ client, bucket: name }),
    queue,
    telemetry: silentTelemetry,
    nonce: () => randomBytes(8),
    concurrency: 16,
  };
  return archiveBatch(context, records);
}

/** Nothing stands there, nothing was handed to a queue, and the same record is archived when all is well again. */
async function comesAfterAll(kind: string): Promise<void> {
  expect([queue.deadLettered, queue.sent]).toEqual([[], []]);
  const reader = s3ArchiveReader({ client: owner, bucket });
  expect((await reader.list('')).versions).toEqual([]);
  expect([...(await put(owner))]).toEqual([]);
  const states: string[] = [];
  for await (const one of listItems(reader, names)) states.push(...one.states.map((state) => state.kind));
  expect(states).toEqual([kind]);
}

/** A client of somebody who may do just this. */
async function clientOf(actions: readonly string[]): Promise<S3Client> {
  const { endpoint } = server;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const iam = new IAMClient({ endpoint, region: 'us-east-1', credentials });
  const UserName = `somebody-${randomBytes(8).toString('hex')}`;
  const allowed = { Effect: 'Allow', Action: actions, Resource: '*' };
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [allowed] });
  await iam.send(new CreateUserCommand({ UserName }));
  const { Policy } = await iam.send(new CreatePolicyCommand({ PolicyName: UserName, PolicyDocument }));
  await iam.send(new AttachUserPolicyCommand({ UserName, PolicyArn: Policy?.Arn }));
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  iam.destroy();
  return new S3Client({
    endpoint,
    region: 'us-east-1',
    credentials: {
      accessKeyId: AccessKey?.AccessKeyId ?? '',
      secretAccessKey: AccessKey?.SecretAccessKey ?? '',
    },
    forcePathStyle: true,
  });
}

/** Changes a bit of every body after its checksum was made. */
function damageBodies({ config: { requestHandler } }: S3Client): void {
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options) => {
    const { body } = request;
    if (request.method !== 'PUT' || body === undefined) return handle(request, options);
    const damaged = Buffer.from(body);
    damaged[0] = (damaged[0] ?? 0) ^ 1;
    return handle(Object.assign(request, { body: damaged }), options);
  };
}

function textOf(some: Item, name: string): string {
  const value = some[name];
  return value !== undefined && 'S' in value ? value.S : '';
}
