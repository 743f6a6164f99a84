import { describe, expect, test } from 'vitest';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { memberLocations, targetsOf } from '../../src/plan/aggregate-functions.ts';
import { aClub, aGame, clubTotals } from '../fixtures/league/league.ts';
import { bound } from '../fixtures/model/bound.ts';
import { refusal } from '../suites/refusal.ts';

function inPartition(range: { readonly pk: string; readonly begins?: string }): Aggregate {
  return { ...clubTotals, members: [{ in: 'partition', at: () => range }] };
}

describe('the members of a target', () => {
  test('are refused at a key that DynamoDB rejects, and the target is at fault', () => {
    expect(refusal(() => memberLocations(bound(inPartition({ pk: '' })), aClub('a')))).toMatchObject({
      code: 'target.unlocatable',
      concerns: 'target',
      rule: 'club-totals',
      key: { pk: 'CLUB#a', sk: 'CLUB' },
      message:
        'Rule club-totals finds members at a key that DynamoDB rejects: expected a partition key of 1 to 2048 bytes and a sort key of 1 to 1024',
    });
  });

  test('are refused if the target lacks what `at` reads, and the target is at fault', () => {
    const byName: Aggregate = {
      ...clubTotals,
      reads: { member: [], target: ['Name'] },
      members: [{ in: 'partition', at: (target) => ({ pk: String(target['Name']) }) }],
    };

    expect(refusal(() => memberLocations(bound(byName), aClub('a', { Name: undefined })))).toMatchObject({
      code: 'target.invalid',
      concerns: 'target',
    });
  });
});

describe('the targets of a member', () => {
  test('are the keys that DynamoDB takes, and nothing of them but their parts', () => {
    const naming: Aggregate = {
      ...clubTotals,
      targetsOf: () => [
        { pk: '', sk: 'CLUB' },
        { pk: 'CLUB#a', sk: 'CLUB', Name: 'x' },
      ],
    };

    expect(targetsOf(bound(naming), aGame('a', 'b'))).toStrictEqual([{ pk: 'CLUB#a', sk: 'CLUB' }]);
  });

  test('may be a hundred', () => {
    const keys = Array.from({ length: 100 }, (_, index) => ({ pk: `CLUB#${index}`, sk: 'CLUB' }));

    expect(targetsOf(bound({ ...clubTotals, targetsOf: () => keys }), aGame('a', 'b'))).toHaveLength(100);
  });
});
