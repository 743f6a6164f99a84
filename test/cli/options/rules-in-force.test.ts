import { describe, expect, onTestFinished, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { rulesInForce } from '../../../src/cli/options/rules-in-force.ts';
import { agingInForce } from '../../../src/cli/sweep/command.ts';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import type { Registry } from '../../../src/model/rules/registry.ts';
import { connect } from '../../../src/operate/adapters/connection.ts';
import { project } from '../../../src/plan/projection.ts';
import { ages } from '../../../src/worker/archive/sweep/aging.ts';
import { item } from '../../fixtures/model/items.ts';
import { serverOfTest } from '../../suites/loopback-server.ts';

describe('the rules in force', () => {
  test('are those of the stack: with its partitions for each status, and without its disabled rules', async () => {
    const { connection } = await functionsWith({ STATUS_SHARDS: '3', DISABLED_RULES: 'order-date-on-items' });

    const { registry } = await rulesInForce({ connection, stack }, {});

    expect(registry.rule('order-date-on-items')).toBeUndefined();
    expect(statusPartition(registry)).toMatch(/^STATUS#PAID#[0-2]$/);
  });

  test('follow the options before the stack', async () => {
    const { connection } = await functionsWith({ STATUS_SHARDS: '3' });

    const { registry } = await rulesInForce({ connection, stack }, { parameter: { StatusShards: '1' } });

    expect(statusPartition(registry)).toBe('STATUS#PAID');
  });

  test.each([
    [{ GLOBAL_TABLE_REPLICA: 'true' }, true],
    [{ GLOBAL_TABLE_REPLICA: 'false' }, false],
    [{}, false],
  ])('recognize expiries as the stack does: %j', async (environment, globalTableReplica) => {
    const { connection } = await functionsWith(environment);

    expect(await rulesInForce({ connection, stack }, {})).toMatchObject({ evidence: { globalTableReplica } });
  });

  test.each([true, undefined])('recognize expiries as the option says without a stack: %s', async (given) => {
    const { connection } = await functionsWith({});
    const options = { ...(given && { globalTableReplica: given }) };

    expect(await rulesInForce({ connection, stack: undefined }, options)).toMatchObject({
      evidence: { globalTableReplica: given === true },
    });
  });

  test('are all rules without a stack, and Lambda is not asked', async () => {
    const { connection } = await functionsWith({ STATUS_SHARDS: '3' });

    const { registry } = await rulesInForce({ connection, stack: undefined }, {});

    expect(registry.rules).toHaveLength(config.registry().rules.length);
    expect(statusPartition(registry)).toBe('STATUS#PAID');
  });

  test('have another digest under other settings', async () => {
    const { connection } = await functionsWith({});
    const digest = async (statusShards?: number) =>
      (
        await rulesInForce(
          { connection, stack: undefined },
          { ...(statusShards && { parameter: { StatusShards: String(statusShards) } }) },
        )
      ).digest;

    expect(await digest()).toBe(await digest(1));
    expect(await digest(2)).not.toBe(await digest(1));
    const without = await functionsWith({ DISABLED_RULES: 'archive-orders' });
    expect((await rulesInForce({ ...without, stack }, {})).digest).not.toBe(await digest());
  });
});

describe('the rules of a sweep', () => {
  const agesOf = ({ archives }: Registry) =>
    archives.filter(ages).map(({ name, ages: { days } }) => [name, days]);

  test('are those of its function: its days, its partitions, its storage class', async () => {
    const { connection, asked } = await functionsWith({
      ...{ STATUS_SHARDS: '3', SWEEP_AFTER_DAYS: '365', ARCHIVE_STORAGE_CLASS: 'DEEP_ARCHIVE' },
      DISABLED_RULES: 'archive-incidents',
    });

    const place = { connection, stack: { ...stack, SweepFunction: 'S' } };
    const { registry, storageClass } = await agingInForce(place, {});

    expect(asked).toEqual(['S']);
    expect(agesOf(registry)).toEqual([['archive-orders', 365]]);
    expect(registry.archives.find(ages)?.ages.found).toMatchObject({
      pks: expect.arrayContaining(['STATUS#DELIVERED#2']),
    });
    expect(storageClass).toBe('DEEP_ARCHIVE');
  });

  test('are all rules with 90 days without a stack', async () => {
    const { connection, asked } = await functionsWith({});

    const { registry, storageClass } = await agingInForce({ connection, stack: undefined }, {});

    expect(asked).toEqual([]);
    expect(agesOf(registry).map(([, days]) => days)).toEqual([90, 90]);
    expect(storageClass).toBe('STANDARD');
  });
});

function statusPartition(registry: Registry): string {
  const rule = registry.rule('order-status-keys');
  const order = item({ PK: 'ORDER#1', SK: 'METADATA', Type: 'Order', Status: 'PAID', CreatedAt: 'c' });
  const value = rule && project(rule, order, order).get('GSI2PK');
  return value !== undefined && 'S' in value ? value.S : '';
}

const stack = {
  ...{ TableName: 't', StreamArn: 's', PropagateFunction: 'P', ArchiveFunction: 'A', FanOutFunction: 'F' },
  ...{
    FanOutQueueUrl: 'q',
    DeadLetterQueueUrl: 'd',
    ArchiveBucketName: 'b',
    PropagateFailureBucketName: 'f',
  },
};

/** A connection to a Lambda whose functions have this environment, and the names of the functions that were looked up. */
async function functionsWith(Variables: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const { endpoint } = await serverOfTest(({ path }) => {
    asked.push(/functions\/([^/]+)\//.exec(path)?.[1] ?? '');
    return { status: 200, body: JSON.stringify({ Environment: { Variables } }) };
  });
  const connection = connect(loopbackClientSettings(endpoint));
  onTestFinished(() => connection.close());
  return { connection, asked };
}
