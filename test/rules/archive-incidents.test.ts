import { describeArchive } from 'stream-denormalizer/testing';
import { describe, expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import { classifyAge } from '../../src/worker/archive/sweep/aging.ts';
import { only } from '../fixtures/application/load-rules.ts';
import { agingRule } from '../fixtures/model/bound.ts';
import { item } from '../fixtures/model/items.ts';

describeArchive(config, 'archive-incidents', {
  item: { PK: 'acct_1#inc', SK: 'inc_2', State: 'CLOSED', CreatedAt: 1 },
  others: [{ PK: 'acct_1#inc_2#incpart', SK: 'team_1' }],
  aged: new Date(90 * 86_400_000 + 1000),
  young: new Date(90 * 86_400_000),
});

describe('incidents age', () => {
  const registry = only('archive-incidents');
  const now = Date.UTC(2026, 3, 15, 12);
  const createdAt = Date.UTC(2026, 0, 15, 12) / 1000;
  const ageOf = (attributes: Parameters<typeof item>[0]) =>
    classifyAge(
      agingRule(registry.archives[0]),
      item({ PK: 'acct_1#inc', SK: 'inc_2', State: 'CLOSED', CreatedAt: createdAt, ...attributes }),
      now,
    );

  test('90 days after they were created, with their data, and a scan finds them', () => {
    expect(ageOf({})).toMatchObject({
      is: 'aged',
      companions: [{ location: { in: 'key', pk: 'acct_1#inc_2', sk: 'data' } }],
    });
    expect(agingRule(registry.archives[0]).ages.found).toEqual({ in: 'scan' });
  });

  test.each([
    { CreatedAt: createdAt + 1 },
    { State: 'OPEN' },
    { State: 'closed' },
    { CreatedAt: 99_999_999_999 },
  ])('not earlier, and not while they are open: %j', (attributes) => {
    expect(ageOf(attributes)).toEqual({ is: 'young' });
  });

  test.each([{ State: undefined }, { State: '' }, { CreatedAt: undefined }, { CreatedAt: '2021-02-24' }])(
    'never if an attribute is missing or invalid: %j',
    (attributes) => {
      expect(ageOf(attributes)).toMatchObject({ is: 'unclassified', code: 'root.invalid' });
    },
  );

  test.each([
    item({ PK: 'acct_1#inc_2', SK: 'data', State: 'CLOSED', CreatedAt: 1 }),
    item({ PK: 'acct_1#inc_2#incpart', SK: 'team_3', State: 'CLOSED', CreatedAt: 1 }),
    item({ PK: 'acct_1#team', SK: 'team_3', State: 'CLOSED', CreatedAt: 1 }),
  ])('but no other item does by their rule: $PK.S $SK.S', (other) => {
    expect(classifyAge(agingRule(registry.archives[0]), other, now)).toEqual({ is: 'young' });
  });
});
