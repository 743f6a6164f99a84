import { expect, test } from 'vitest';
import { coverageLines, uncovered } from '../../src/check/coverage.ts';
import { keyed } from '../../src/model/items/item.ts';
import { countedKinds } from '../../src/model/rules/kind-counts.ts';
import { item } from '../fixtures/model/items.ts';
import { table } from '../fixtures/model/table.ts';
import { aMembership, aUser } from '../fixtures/world/items.ts';
import { usernameOnMemberships } from '../fixtures/world/rules.ts';
import { registryOf } from '../fixtures/world/world.ts';

const registry = registryOf(usernameOnMemberships);
const log = (Part: string) => item({ Part, Sort: 'secret', Kind: 'Log', Text: 'secret too' });
const odd = Array.from({ length: 40 }, (_, n) => item({ Part: 'NOTE#1', Sort: 'x', Kind: `T${n}` }));
const counts = (items: readonly ReturnType<typeof item>[]) =>
  countedKinds(
    registry,
    items.map((one) => keyed(table, one)),
  );

test('the items of a table are counted by kind, and those of no kind by their types and keys', () => {
  const read = [
    aUser(),
    aMembership('s'),
    aMembership('t'),
    aUser({ Part: 'user#1' }),
    log('LOG#1'),
    log('LOG#2'),
  ];

  expect(coverageLines(registry, counts(read))).toEqual([
    'table  6 items: 1 User, 2 Membership, 3 of no kind',
    `table  no kind  2 with keys like LOG#… / … and Kind 'Log', such as {"Part":"LOG#1","Sort":"secret"}`,
  ]);
});

test('items of no kind are findings for those who want a kind for each', () => {
  expect(uncovered(registry, counts([aUser(), log('LOG#1')]))).toEqual([
    {
      ...{ about: 'table', subject: 'no kind' },
      message: `Expected each item to be of a kind, found 1 of none with keys like LOG#… / … and Kind 'Log', such as {"Part":"LOG#1","Sort":"secret"}: list a kind for them`,
    },
  ]);
  expect(uncovered(registry, counts([aUser()]))).toEqual([]);
});

test('of more than thirty sorts of no kind the rest is counted', () => {
  expect(coverageLines(registry, counts(odd)).at(-1)).toBe('table  no kind  10 of more sorts, only counted');
});
