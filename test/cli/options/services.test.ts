import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openConnection, openTableServices, type ServiceOptions } from '../../../src/cli/options/services.ts';
import { stubCloud } from '../stub-cloud.ts';

beforeEach(() => {
  for (const name of [
    'AWS_ACCESS_KEY_ID',
    'AWS_PROFILE',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
    'AWS_ENDPOINT_URL',
  ])
    vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

async function opened(options: ServiceOptions) {
  const services = await openTableServices(options);
  onTestFinished(() => services.close());
  return services;
}

describe('the services that options name', () => {
  test('uses the table of the named stack, with its queues and buckets, or rather the named table', async () => {
    const { endpoint } = await stubCloud();
    const { tableName, stack } = await opened({ stack: 'prod', endpoint });
    const other = await opened({ stack: 'prod', table: 'other', endpoint });
    const named = await opened({ table: 'orders', region: 'eu-west-1' });

    expect(tableName).toBe('prod-table');
    expect(stack).toMatchObject({ FanOutQueueUrl: `${endpoint}/123456789012/fan-out` });
    expect([other.tableName, other.stack?.TableName]).toEqual(['other', 'prod-table']);
    expect([named.tableName, named.stack]).toEqual(['orders', undefined]);
  });

  test('uses `app` on this machine, as `denorm dev` does, and has no default elsewhere', async () => {
    for (const endpoint of ['http://127.0.0.1:8000', 'http://localhost:8000', 'https://[::1]:8000'])
      expect((await opened({ endpoint })).tableName).toBe('app');
    for (const endpoint of [undefined, 'http://10.0.0.1:8000'])
      await expect(
        openTableServices({ ...(endpoint && { endpoint }), region: 'eu-west-1' }),
      ).rejects.toMatchObject({
        code: 'usage.table',
        message: expect.stringContaining('--table NAME, --stack NAME or --stage NAME'),
      });
  });

  test.each(['here', '127.0.0.1:8000', 'ftp://127.0.0.1', ''])(
    'refuses %j as an endpoint',
    async (endpoint) => {
      await expect(openTableServices({ table: 'orders', endpoint })).rejects.toMatchObject({
        code: 'usage.endpoint',
      });
    },
  );

  test('goes where the environment of the AWS CLI says', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:8123');
    vi.stubEnv('AWS_DEFAULT_REGION', 'ap-south-1');
    const { connection, tableName } = await opened({});

    expect(tableName).toBe('app');
    expect((await connection.dynamoDb.config.endpoint?.())?.port).toBe(8123);
    expect(await connection.dynamoDb.config.region()).toBe('ap-south-1');
  });

  test('refuses an option beside a stack that says the same or the contrary', async () => {
    await expect(openTableServices({ stack: 'prod', globalTableReplica: true })).rejects.toMatchObject({
      code: 'usage.replica',
      message: expect.stringMatching(
        /Expected --global-table-replica only where no stack .* prod: leave it out/,
      ),
    });
  });
});

describe('openConnection', () => {
  /** The key id and the region of the signature. */
  async function signedWith(options: ServiceOptions): Promise<readonly [string, string]> {
    const connection = openConnection(options);
    onTestFinished(() => connection.close());
    const { config } = connection.dynamoDb;
    return [(await config.credentials()).accessKeyId, await config.region()];
  }

  const endpoint = 'http://127.0.0.1:8000';

  test('needs neither credentials nor a region on this machine', async () => {
    expect(await signedWith({ endpoint })).toEqual(['local', 'us-east-1']);
  });

  test('prefers the credentials in the environment to made-up ones', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'mine');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');

    expect(await signedWith({ endpoint, region: 'eu-west-1' })).toEqual(['mine', 'eu-west-1']);
    expect(await signedWith({ endpoint: 'http://10.0.0.1', region: 'eu-west-1' })).toEqual([
      'mine',
      'eu-west-1',
    ]);
  });

  test('sends no made-up credentials to another machine', async () => {
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/none');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');

    await expect(signedWith({ endpoint: 'http://10.0.0.1', region: 'eu-west-1' })).rejects.toThrow(
      /credentials/,
    );
  });
});
