import { describe, expect, onTestFinished, test } from 'vitest';
import { agingInForce } from '../../../src/cli/sweep/command.ts';
import { loopbackClientSettings } from '../../../src/develop/dev/loopback.ts';
import { connect } from '../../../src/operate/adapters/connection.ts';
import { ages } from '../../../src/worker/archive/sweep/aging.ts';
import { loopbackServer } from '../../suites/loopback-server.ts';

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
  const server = await loopbackServer(({ path }) => {
    asked.push(/functions\/([^/]+)\//.exec(path)?.[1] ?? '');
    return { status: 200, body: JSON.stringify({ Environment: { Variables } }) };
  });
  const connection = connect(loopbackClientSettings(server.endpoint));
  onTestFinished(async () => {
    connection.close();
    await server.close();
  });
  return { connection, asked };
}

const deployed = {
  STATUS_SHARDS: '3',
  SWEEP_AFTER_DAYS: '365',
  ARCHIVE_STORAGE_CLASS: 'DEEP_ARCHIVE',
  DISABLED_RULES: 'archive-incidents',
};

describe('the rules of a sweep', () => {
  test('are those of the stack: its days, its partitions, its storage class', async () => {
    const { connection, asked } = await functionsWith(deployed);

    const { registry, storageClass } = await agingInForce(
      { connection, stack: { ...stack, SweepFunction: 'S' } },
      {},
    );

    const aging = registry.archives.filter(ages);
    expect(asked).toEqual(['S']);
    expect(aging.map(({ name, ages: { days } }) => [name, days])).toEqual([['archive-orders', 365]]);
    expect(aging[0]?.ages.found).toMatchObject({ pks: expect.arrayContaining(['STATUS#DELIVERED#2']) });
    expect(storageClass).toBe('DEEP_ARCHIVE');
  });

  test('are all rules with 90 days without a stack', async () => {
    const { connection, asked } = await functionsWith({});

    const { registry, storageClass } = await agingInForce({ connection, stack: undefined }, {});

    expect(asked).toEqual([]);
    expect(registry.archives.filter(ages).map(({ name, ages: { days } }) => [name, days])).toEqual([
      ['archive-incidents', 90],
      ['archive-orders', 90],
    ]);
    expect(storageClass).toBe('STANDARD');
  });
});
