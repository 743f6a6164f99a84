import { describe, expect, test } from 'vitest';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { memberLocations, targetsOf } from '../../src/plan/aggregate-functions.ts';
import { bound } from '../fixtures/model/bound.ts';
import { aContender, aMatch, contenderTotals } from '../fixtures/world/totals.ts';
import { refusal } from '../suites/refusal.ts';

function inPartition(range: { readonly pk: string; readonly begins?: string }): Aggregate {
  return { ...contenderTotals, members: [{ in: 'partition', at: () => range }] };
}

describe('the members of a target', () => {
  test('are refused at a key that DynamoDB rejects, and the target is at fault', () => {
    expect(refusal(() => memberLocations(bound(inPartition({ pk: '' })), aContender('a')))).toMatchObject({
      code: 'target.unlocatable',
      concerns: 'target',
      rule: 'contender-totals',
      key: { pk: 'CONTENDER#a', sk: 'CONTENDER' },
      message:
        'Rule contender-totals finds members at a key that DynamoDB rejects: expected a partition key of 1 to 2048 bytes and a sort key of 1 to 1024',
    });
  });

  test('are refused if the target lacks what `at` reads, and the target is at fault', () => {
    const byName: Aggregate = {
      ...contenderTotals,
      reads: { member: [], target: ['Name'] },
      members: [{ in: 'partition', at: (target) => ({ pk: String(target['Name']) }) }],
    };

    expect(refusal(() => memberLocations(bound(byName), aContender('a', { Name: undefined })))).toMatchObject(
      {
        code: 'target.invalid',
        concerns: 'target',
      },
    );
  });
});

describe('the targets of a member', () => {
  test('are the keys that DynamoDB takes, and nothing of them but their parts', () => {
    const naming: Aggregate = {
      ...contenderTotals,
      targetsOf: () => [
        { pk: '', sk: 'CONTENDER' },
        { pk: 'CONTENDER#a', sk: 'CONTENDER', Name: 'x' },
      ],
    };

    expect(targetsOf(bound(naming), aMatch('a', 'b'))).toStrictEqual([
      { pk: 'CONTENDER#a', sk: 'CONTENDER' },
    ]);
  });

  test('may be a hundred', () => {
    const keys = Array.from({ length: 100 }, (_, index) => ({ pk: `CONTENDER#${index}`, sk: 'CONTENDER' }));

    expect(targetsOf(bound({ ...contenderTotals, targetsOf: () => keys }), aMatch('a', 'b'))).toHaveLength(
      100,
    );
  });
});
