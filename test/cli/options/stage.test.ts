import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openArchive, readArchive } from '../../../src/cli/options/archive.ts';
import { allRules, localRules, rulesInForce } from '../../../src/cli/options/rules-in-force.ts';
import {
  openServices,
  openTableServices,
  type ServiceOptions,
  type TableServices,
} from '../../../src/cli/options/services.ts';
import { meansDevEnvironment } from '../../../src/cli/options/stage.ts';
import { nameProject } from '../../../src/cli/project.ts';
import type { Stage } from '../../../src/model/rules/config.ts';
import { stageFields } from '../../../src/model/rules/config.ts';
import type { Registry } from '../../../src/model/rules/registry.ts';
import { serverOfTest } from '../../suites/loopback-server.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { stubCloud } from '../stub-cloud.ts';
import config from './staged.config.ts';

beforeEach(() => {
  nameProject(fileURLToPath(new URL('./staged.config.ts', import.meta.url)));
  const credentials = join(newFolder(), 'credentials');
  writeFileSync(
    credentials,
    '[staged]\naws_access_key_id = of-the-profile\naws_secret_access_key = secret\n',
  );
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', credentials);
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_ENDPOINT_URL']) vi.stubEnv(name, undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  nameProject(undefined);
});

async function opened(options: ServiceOptions) {
  const services = await openTableServices(options);
  onTestFinished(() => services.close());
  return services;
}

/** What a command has from each field of a stage. */
const effects: Record<
  Exclude<keyof Stage, 'stack'>,
  (services: TableServices, rules: Registry) => unknown
> = {
  table: ({ tableName }) => tableName,
  endpoint: async ({ connection }) =>
    `http://127.0.0.1:${(await connection.dynamoDb.config.endpoint?.())?.port}`,
  region: ({ connection }) => connection.dynamoDb.config.region(),
  profile: async ({ connection }) =>
    (await connection.dynamoDb.config.credentials()).accessKeyId === 'of-the-profile' && 'staged',
  queueUrl: ({ queueUrl }) => queueUrl,
  deadLetterQueueUrl: ({ deadLetterQueueUrl }) => deadLetterQueueUrl,
  bucket: ({ bucket }) => bucket,
  parameters: (_, rules) => ({ StatusShards: shardsOf(rules) }),
  disabled: (_, rules) => config.registry().rules.flatMap(({ name }) => (rules.rule(name) ? [] : [name])),
};

/** The partitions of one status in the index by which orders age. */
function shardsOf({ archives }: Registry): number {
  const found = archives.find(({ name }) => name === 'archive-orders')?.ages?.found;
  return found?.in === 'index' ? found.pks.length / 2 : 0;
}

describe('a stage', () => {
  test.each(Object.entries(effects))('names the %s', async (field, effect) => {
    const options = { stage: 'parts' };
    expect(await effect(await opened(options), await localRules(options))).toEqual(
      config.stages.parts[field as keyof typeof effects],
    );
  });

  test('names the stack, and the stack its queues and its bucket', async () => {
    const { endpoint } = await stubCloud();
    const { tableName, stack, queueUrl, deadLetterQueueUrl, bucket } = await opened({
      stage: 'deployed',
      endpoint,
    });

    expect(tableName).toBe('prod-table');
    expect(queueUrl).toBe(stack?.FanOutQueueUrl);
    expect(deadLetterQueueUrl).toBe(stack?.DeadLetterQueueUrl);
    expect(bucket).toBe(stack?.ArchiveBucketName);
  });

  test('has no field without a test above', () => {
    expect([...Object.keys(effects), 'stack'].sort()).toEqual(Object.keys(stageFields).sort());
  });

  test('is second to the options of a command', async () => {
    const { connection } = await opened({ stage: 'parts', region: 'us-west-2' });
    const options = { stage: 'parts', parameter: { StatusShards: '3' } };

    expect(await connection.dynamoDb.config.region()).toBe('us-west-2');
    expect(shardsOf(await localRules(options))).toBe(3);
    const { registry } = await rulesInForce({ connection, stack: undefined }, options);
    expect(shardsOf(registry)).toBe(3);
  });

  test('switches rules off, except where all are meant', async () => {
    expect((await allRules({ stage: 'parts' })).rule('order-date-on-items')).toBeDefined();
  });

  test.each([
    [{}, true],
    [{ endpoint: 'http://127.0.0.1:8000', region: 'eu-west-1' }, true],
    [{ region: 'eu-west-1' }, false],
    [{ profile: 'mine' }, false],
    [{ endpoint: 'https://dynamodb.eu-west-1.amazonaws.com' }, false],
    [{ endpoint: 'http://127.0.0.1:8000', bucket: 'archive' }, false],
  ])('%j means denorm dev: %s', (stage, means) => {
    expect(meansDevEnvironment(stage)).toBe(means);
  });
});

describe('an archive', () => {
  test('is that of the stack, where the environment says that the stack is', async () => {
    const { endpoint } = await stubCloud();
    vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
    const services = await openServices({ stack: 'prod' });
    onTestFinished(() => services.close());

    expect((await readArchive({}, services)).name).toMatch(/^s3:\/\/./);
  });

  test('takes the storage class of its stack, in a bucket and in a folder', async () => {
    const classes: unknown[] = [];
    const server = await serverOfTest(({ headers }) => {
      classes.push(headers['x-amz-storage-class']);
      return { status: 200, headers: { etag: '"1"' } };
    });
    const services = await opened({ endpoint: server.endpoint, region: 'us-east-1', bucket: 'archive' });
    const object = { body: '{}', digest: 'd' };
    const stateDir = newFolder();
    const inBucket = await openArchive({}, services, 'GLACIER_IR');
    await inBucket.archive.put('archive/a', object, undefined);
    const inFolder = await openArchive({ stateDir }, services, 'GLACIER_IR');
    await inFolder.archive.put('archive/a', object, undefined);

    expect(classes).toEqual(['GLACIER_IR']);
    expect(await inFolder.reader.details('archive/a', undefined)).toMatchObject({
      storageClass: 'GLACIER_IR',
    });
  });
});
