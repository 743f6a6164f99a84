import { describeArchive } from 'stream-denormalizer/testing';
import { describe, expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import { classifyAge, untilOf } from '../../src/worker/archive/sweep/aging.ts';
import { anOrder, plainOrder } from '../fixtures/application/items.ts';
import { only } from '../fixtures/application/load-rules.ts';
import { agingRule } from '../fixtures/model/bound.ts';

describeArchive(config, 'archive-orders', {
  item: plainOrder({ Status: 'DELIVERED' }),
  others: [{ PK: 'USER#42', SK: 'ORDER#2026-01-15', Type: 'UserOrder', OrderId: 'o-1001' }],
  aged: new Date('2026-04-16T00:00:00Z'),
  young: new Date('2026-04-15T00:00:00Z'),
});

describeArchive(config, 'archive-profiles', {
  item: { PK: 'USER#42', SK: 'PROFILE', Type: 'UserProfile', Email: 'buyer@example.com', Name: 'Buyer' },
  others: [plainOrder()],
});

test('profiles never age: only the application expires them', () => {
  expect(only('archive-profiles').archives.map(({ ages }) => ages)).toEqual([undefined]);
});

describe('orders age', () => {
  const now = Date.UTC(2026, 3, 15, 12);
  const [rule] = config.registry().archives.filter((one) => one.name === 'archive-orders');
  const ageOf = (attributes: Parameters<typeof anOrder>[0]) =>
    classifyAge(agingRule(rule), anOrder({ Status: 'DELIVERED', ...attributes }), now);

  test.each(['DELIVERED', 'CANCELLED'])('in the final status %s, with their items', (Status) => {
    expect(ageOf({ Status })).toMatchObject({
      is: 'aged',
      companions: [{ location: { in: 'partition', pk: 'ORDER#o-1001', begins: 'ITEM#' } }],
    });
  });

  test.each(['PENDING', 'PAID', 'SHIPPED', 'delivered', 'RETURNED'])('not in the status %s', (Status) => {
    expect(ageOf({ Status })).toEqual({ is: 'young' });
  });

  test.each([
    ['2026-01-15T12:00:00', 'aged'],
    ['2026-01-15T12:00:00.000000', 'aged'],
    ['2026-01-15T12:00:00.001', 'young'],
    ['2026-01-15T12:00:01Z', 'young'],
    ['2026-01-15 12:00:00', 'aged'],
    ['2026-01-15', 'aged'],
    ['2026-01-16', 'young'],
    ['2026-01-15T14:00:00+02:00', 'aged'],
    ['2026-01-15T14:00:01+02:00', 'young'],
    ['2026-01-15T14:00:00+0200', 'aged'],
    ['2026-01-15T02:00:00-10:00', 'aged'],
    ['2026-01-15T02:00:01-10:00', 'young'],
    ['2999-01-01', 'young'],
  ])('90 days after their CreatedAt, which is UTC if it has no offset: %s', (CreatedAt, is) => {
    expect(ageOf({ CreatedAt }).is).toBe(is);
  });

  test.each(['yesterday', '', '15.01.2026', '2026-13-45', '2026-01-15T99:00', '1768478400', 'Jan 15 2026'])(
    'never if their CreatedAt is not a time: %j',
    (CreatedAt) => {
      expect(ageOf({ CreatedAt }).is).toBe('unclassified');
    },
  );

  test.each([{ CreatedAt: undefined }, { CreatedAt: 1768478400 }, { Status: undefined }])(
    'never if an attribute is missing or invalid: %j',
    (attributes) => {
      expect(ageOf(attributes)).toMatchObject({ is: 'unclassified', code: 'root.invalid' });
    },
  );

  test('after the days in the settings, found in all partitions of a status', () => {
    const [other] = config
      .registry({ parameters: { StatusShards: 3, SweepAfterDays: 10 } })
      .archives.filter((one) => one.name === 'archive-orders');
    const { days, found } = agingRule(other).ages;

    expect(days).toBe(10);
    expect(found).toMatchObject({
      pks: ['DELIVERED', 'CANCELLED'].flatMap((status) =>
        [0, 1, 2].map((shard) => `STATUS#${status}#${shard}`),
      ),
    });
  });

  test.each(['2026-01-15T12:00:00', '2026-01-16T02:00:00+14:00', '2026-01-14T22:00:00-14:00'])(
    'and are in the queried key range whatever their offset: %s',
    (CreatedAt) => {
      expect(ageOf({ CreatedAt }).is).toBe('aged');
      expect(`ORDER#${CreatedAt}` < untilOf(agingRule(rule), now)).toBe(true);
    },
  );
});
