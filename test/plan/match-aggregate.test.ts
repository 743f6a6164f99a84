import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/model/items/change.ts';
import { type Item, keyAttributes } from '../../src/model/items/item.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { entryKey, namesOfLedger } from '../../src/model/rules/ledger.ts';
import { matchChanges } from '../../src/plan/match.ts';
import { bare } from '../fixtures/model/rules.ts';
import { table } from '../fixtures/model/table.ts';
import { aDay, day, salesOfDay } from '../fixtures/world/days.ts';
import { aContender, aMatch, contenderTotals } from '../fixtures/world/totals.ts';
import { keyIn } from '../fixtures/world/worker.ts';
import { registryOf } from '../fixtures/world/world.ts';

let sequence = 0n;

function change(before: Item | undefined, after: Item | undefined): Change {
  sequence += 1n;
  const item = after ?? before;
  if (item === undefined) throw new Error('Expected an image');
  return { key: keyIn(item), before, after, sequence, expired: false, at: undefined };
}

function matched(...changes: Change[]): readonly string[] {
  return matchChanges(registryOf(contenderTotals), changes).propagations.map(
    ({ root, cause }) => `${root.pk} ${cause}`,
  );
}

const match = aMatch('a', 'b');

describe('a change of a member', () => {
  test.each(['HomePoints', 'Votes', 'PlayedAt', 'Report', 'OwnerPart', 'OwnerSort'])(
    'asks for its targets if %s differs',
    (name) => {
      expect(matched(change(match, { ...match, [name]: { S: 'other' } }))).toHaveLength(2);
    },
  );

  test('asks for nothing if the aggregate reads nothing that differs', () => {
    expect(matched(change(match, { ...match, Referee: { S: 'other' } }))).toEqual([]);
  });

  test('asks for nothing if the member names no target', () => {
    const { Rival: _, ...nameless } = match;

    expect(matchChanges(registryOf(contenderTotals), [change(undefined, nameless)])).toEqual({
      propagations: [],
      checks: [],
      faults: [],
    });
  });

  test('is refused if targetsOf fails on it', () => {
    const broken = {
      ...contenderTotals,
      targetsOf: () => {
        throw new Error('secret');
      },
    };

    for (const ledger of [undefined, { shards: 1 }])
      expect(matchChanges(registryOf({ ...broken, ledger }), [change(undefined, match)])).toMatchObject({
        propagations: [],
        faults: [{ code: 'rule.threw', concerns: 'member' }],
      });
  });

  test('a target is checked when it is gone or loses its type only if the aggregate creates it', () => {
    const matchedBy = (aggregate: Aggregate, before: Item, after: Item | undefined) =>
      matchChanges(registryOf(aggregate), [change(before, after)]).propagations.map(({ cause }) => cause);
    const other = { ...aDay('mon'), Kind: { S: 'Holiday' } };
    const noted = aDay('mon', { Note: 'x' });
    const [deleting, keeping] = [salesOfDay('delete'), salesOfDay('keep')];

    for (const one of [deleting, keeping, salesOfDay('keep', 1)]) {
      expect(matchedBy(one, aDay('mon'), undefined)).toEqual(['check']);
      expect(matchedBy(one, aDay('mon'), other)).toEqual(['check']);
    }
    for (const after of [undefined, other])
      expect(matchedBy({ ...keeping, creates: false }, aDay('mon'), after)).toEqual([]);
    expect(matchedBy(deleting, noted, aDay('mon'))).toEqual(['check']);
    expect(matchedBy(keeping, noted, aDay('mon'))).toEqual([]);
    // A rule that writes it keeps no target.
    const noting = bare({ name: 'noting', copy: day, copies: ['Note'] });
    const { propagations } = matchChanges(registryOf(deleting, noting), [change(noted, aDay('mon'))]);
    expect(propagations).toEqual([]);
  });

  test('with a ledger is posted once, and its target is computed', () => {
    const withLedger = registryOf({ ...contenderTotals, ledger: { shards: 1 } });
    const [contender, user] = ['a', 'b'].map((name) => ({
      rule: 'contender-totals',
      root: keyIn(aContender(name)),
    }));
    const changes = [change(undefined, match), change(match, aMatch('a', 'b', { HomePoints: 3 }))];
    const post = { cause: 'changed', copies: [keyIn(match)], attempts: 0 };

    expect(matchChanges(withLedger, changes).propagations).toEqual([
      { ...contender, ...post },
      { ...user, ...post },
    ]);
    expect(matchChanges(withLedger, [change(undefined, aContender('a'))]).propagations).toEqual([
      { ...contender, cause: 'check', attempts: 0 },
    ]);
  });

  test('with a ledger is posted again if any record of its entry names it', () => {
    const ledger = { ...contenderTotals, ledger: { shards: 1 } };
    const [root, member] = [keyIn(aContender('a')), keyIn(match)];
    const entry = {
      ...keyAttributes(table, entryKey(ledger, root, member)),
      ...namesOfLedger(root, member),
    };
    const check = { rule: 'contender-totals', root, cause: 'check', copies: [member], attempts: 0 };

    for (const changes of [
      [change(undefined, entry)],
      [change(entry, undefined)],
      [change(undefined, entry), change(entry, keyAttributes(table, keyIn(entry)))],
    ])
      expect(matchChanges(registryOf(ledger), changes).propagations).toEqual([check]);
  });

  test('that targetsOf fails on asks for the targets of the other image', () => {
    const { targetsOf } = contenderTotals;
    const broken = {
      ...contenderTotals,
      targetsOf: (member: Parameters<typeof targetsOf>[0]) => {
        if (member['Rival'] === 'x') throw new Error('secret');
        return targetsOf(member);
      },
    };
    const wrong = { ...match, Rival: { S: 'x' } };

    for (const one of [change(wrong, match), change(match, wrong)])
      expect(matchChanges(registryOf(broken), [one])).toMatchObject({
        propagations: [{ root: { pk: 'CONTENDER#a' } }, { root: { pk: 'CONTENDER#b' } }],
        faults: [{ code: 'rule.threw', concerns: 'member' }],
      });
  });

  test('is refused if targetsOf returns more than a hundred keys', () => {
    const keys = Array.from({ length: 101 }, () => ({ pk: 'a', sk: 'b' }));
    const broken = { ...contenderTotals, targetsOf: () => keys };

    expect(matchChanges(registryOf(broken), [change(undefined, match)]).faults[0]?.message).toBe(
      'Expected targetsOf of rule contender-totals to return a list of at most 100 keys, each { pk, sk }, all text, got one of 101: correct the function',
    );
  });
});
