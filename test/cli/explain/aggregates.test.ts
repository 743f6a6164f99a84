import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { explanationText } from '../../../src/cli/explain/text.ts';
import { explainEvent, explainItem } from '../../../src/explain/explain.ts';
import { type Item, keyIn } from '../../../src/model/items/item.ts';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import { makeRegistry, type Registry } from '../../../src/model/rules/registry.ts';
import { contenderTotals } from '../../../src/rules/contender-totals.ts';
import { table } from '../../../src/table.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { aContender, aHeadToHead } from '../../fixtures/application/items.ts';
import { portOf } from '../../fixtures/model/port-of.ts';

const bear = itemOf(aContender('bear'));
const records = [
  itemOf(aHeadToHead('bear', 'books', 12, 2)),
  itemOf(aHeadToHead('c3po', 'bear', 7, 5)),
  itemOf(aHeadToHead('books', 'c3po', 7, 5)),
];
const [record = bear] = records;

function optionsOf(items: readonly Item[], registry: Registry = config.registry()) {
  return { registry, table: portOf(table, items), settings: defaultSettings };
}

function explained(item: Item, items: readonly Item[], registry?: Registry) {
  return explainItem(optionsOf(items, registry), keyIn(table, item));
}

function only(spec: Partial<Aggregate>): Registry {
  const { rules, archives } = config.registry();
  return makeRegistry(table, rules, archives, [], [{ ...contenderTotals, ...spec }]);
}

const at = (name: string) => ({ pk: `CONTENDER#${name}`, sk: 'metadata' });

describe('denorm explain', () => {
  test('says that a target of a member does not exist, and what to do', async () => {
    const text = explanationText(table, await explained(record, [record, bear]));

    expect(stripVTControlCharacters(text)).toContain(
      'found  1 target that does not exist: write it, and its totals are computed',
    );
  });

  test('says of a target what would be dead-lettered, and how many members are skipped', async () => {
    const limited = await explained(bear, [bear, ...records], only({ limit: 1 }));
    const invalid = { ...itemOf(aHeadToHead('bear', 'zed', 1, 2)), Contender1Wins: { S: '5' } };
    const skipping = await explained(bear, [bear, ...records, invalid], only({ invalid: 'skip' }));

    expect(limited.rounds[0]?.work.flatMap(({ deadLettered }) => deadLettered)).toEqual([
      expect.stringMatching(/^target\.too-many-members: .* in two steps/),
    ]);
    expect(skipping.rounds[0]?.work).toMatchObject([{ found: { members: 3, skipped: 1 } }]);
  });

  test('names the targets of a member, and computes each of them', async () => {
    const { subjects, rounds } = await explained(record, [bear, ...records]);

    expect(subjects[0]?.rules).toContainEqual(
      expect.objectContaining({ rule: 'contender-totals', as: 'member', of: [at('bear'), at('books')] }),
    );
    expect(rounds[0]?.work.map(({ key, found }) => [key, found.written, found.unchanged])).toEqual([
      [at('bear'), 1, 0],
      [at('books'), 0, 0],
    ]);
  });

  test('counts a member for an index that does not show its new keys yet', async () => {
    const { GSI1PK: _, GSI1SK: __, ...bare } = record;
    const change = { key: keyIn(table, bare), before: undefined, after: bare, sequence: 1n };
    const items = [bear, itemOf(aContender('books')), bare];
    const { rounds } = await explainEvent(optionsOf(items), [
      { change: { ...change, expired: false, at: undefined } },
    ]);

    expect(rounds.map(({ records, work }) => [records, work.flatMap(({ writes }) => writes).length])).toEqual(
      [
        [1, 3],
        [3, 2],
        [2, 0],
      ],
    );
  });
});

test('prints where members are, what is written, the chain that comes back and the cost', async () => {
  const text = stripVTControlCharacters(explanationText(table, await explained(bear, [bear, ...records])));

  for (const part of shown.trim().split('\n\n')) expect(text).toContain(part);
});

const shown = `
contender-totals: computation for {"PK":"CONTENDER#bear","SK":"metadata"}
  where   the partition CONTENDER#bear, sort keys that begin with VS#
          index GSI1, partition CONTENDER#bear, sort keys that begin with VS#
  found   2 items read, 1 to write
  update  set Losses, Score, Wins, if it exists and Losses, Score, Type, Wins are as read
          {"PK":"CONTENDER#bear","SK":"metadata"}  1 write unit
  costs   3.5 read units and 1 write unit

  comes back  1 record, leaderboard-keys, contender-totals, 1 write for 4.5 read units and 2 write units
  then        1 record, 0 writes for 0 read units and 0 write units
  total       8 read units and 3 write units
`;
