import { describe, expect, test } from 'vitest';
import { agingInForce } from '../../../src/cli/sweep/command.ts';
import { ages } from '../../../src/worker/archive/sweep/aging.ts';
import { functionsWith, stack } from '../options/deployed-functions.ts';

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
