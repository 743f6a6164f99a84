import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkItems } from '../../../src/check/check-items.ts';
import { explainItem } from '../../../src/explain/explain.ts';
import { type Item, keyed, keyIn } from '../../../src/model/items/item.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { type Attributes, item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const player = defineKind({
  name: 'Player',
  pk: 'PLAYER#{player}',
  sk: 'PLAYER',
  attributes: z.object({ Team: z.string().optional(), Score: z.number() }),
  keys: { ByOwner: { pk: 'TEAM#{Team}', sk: '{Score:5}' } },
});

const registry = defineConfig({ table, rules: [], kinds: [player] }).registry();

const ranked = { OwnerPart: 'TEAM#a', OwnerSort: '00007' };

function aPlayer(attributes: Attributes): Item {
  return item({ Part: 'PLAYER#1', Sort: 'PLAYER', Team: 'a', Score: 7, ...attributes });
}

/** What becomes of a ranked player that changes, and the codes of dead letters. */
async function changed(attributes: Attributes, settings: { rounds?: number } = {}) {
  const worker = workerOver([aPlayer(ranked)], settings, registry);
  worker.table.put(aPlayer({ ...ranked, ...attributes }));
  await worker.rest();
  return {
    worker,
    left: worker.table.read(keyIn(table, aPlayer({}))),
    codes: worker.queue.deadLettered.map(({ code }) => code),
  };
}

describe('an index key that can no longer be made', () => {
  test.each<[string, Attributes, string]>([
    ['a negative number', { Score: -7 }, 'key.unwritable'],
    ['a fraction', { Score: 7.5 }, 'key.unwritable'],
    ['a number of more digits', { Score: 700_000 }, 'key.unwritable'],
    ['what the schema refuses', { Score: 'x' }, 'root.invalid'],
    ['text that is too long', { Team: 'x'.repeat(2048) }, 'root.invalid'],
  ])(
    'is removed with the others of its index, and the item dead-lettered once: %s',
    async (_, value, code) => {
      const { left, codes, worker } = await changed(value);

      expect(left).toEqual(aPlayer(value));
      expect(codes).toEqual([code]);
      expect(worker.port.counts.itemsWritten).toBe(1);
    },
  );

  test('is dead-lettered by a later delivery if there is no time to read the item again', async () => {
    const { left, codes } = await changed({ Score: -7 }, { rounds: 1 });

    expect([left, codes]).toEqual([aPlayer({ Score: -7 }), ['key.unwritable']]);
  });

  test('is made again when the item is corrected', async () => {
    const { worker } = await changed({ Score: -7 });
    worker.table.put(aPlayer({ Score: 8 }));
    await worker.rest();

    expect(worker.table.items()).toEqual([aPlayer({ Score: 8, OwnerPart: 'TEAM#a', OwnerSort: '00008' })]);
    expect(worker.queue.deadLettered).toHaveLength(1);
  });
});

test.each<[string, Attributes]>([
  ['empty text', { Team: '' }],
  ['NULL', { Team: null }],
  ['nothing', { Team: undefined }],
  ['empty text, beside what does not fit', { Team: '', Score: -7 }],
])('an item with %s for a name has no key in that index', async (_, value) => {
  const { left, codes } = await changed(value);

  expect([left, codes]).toEqual([aPlayer(value), []]);
});

describe('of such an item', () => {
  const stale = aPlayer({ ...ranked, Score: -7 });

  test('verify reports the key that is left, and repair removes it and says why', async () => {
    const search = new WorldSearch([stale], registry);
    await search.run();

    expect(search.lines()).toEqual(['derived player-keys PLAYER#1 PLAYER: OwnerPart,OwnerSort']);
    const { written, leftAlone } = await search.propagations().repair(search.found);
    expect([written, leftAlone.map(({ code }) => code)]).toEqual([1, ['key.unwritable']]);
    expect(search.table.items()).toEqual([aPlayer({ Score: -7 })]);
  });

  test('verify reports that its key cannot be made', async () => {
    const search = new WorldSearch([aPlayer({ Score: -7 })], registry);
    await search.run();

    expect(search.found).toMatchObject([{ kind: 'invalid', code: 'key.unwritable' }]);
  });

  test('explain says that the key would be removed, and the item dead-lettered', async () => {
    const search = new WorldSearch([stale], registry);
    const options = { registry, table: search.port, settings: defaultSettings };
    const { rounds } = await explainItem(options, keyIn(table, stale));

    expect(rounds[0]?.work.flatMap(({ deadLettered }) => deadLettered)).toEqual([
      expect.stringMatching(/^key.unwritable/),
    ]);
  });

  test('check --table finds it by the patterns, and names the value by its kind only', () => {
    const items = [stale, aPlayer({ Part: 'PLAYER#2' }), aPlayer({ Part: 'PLAYER#3', Score: 'x' })];
    const sample = items.map((item) => keyed(table, item));
    const messages = checkItems(registry, sample).map(({ message }) => message);

    expect(messages).toContain(
      'Expected Player to have values of which its index keys can be made, found others on 1 of 3 items, such as {"Part":"PLAYER#1","Sort":"PLAYER"}: In derive.OwnerPart of rule player-keys: Expected \'Score\' of the index key pattern \'{Score:5}\' to be a whole number from 0 with at most 5 digits, got another number: correct the items, or the pattern',
    );
    expect(messages).toHaveLength(2);
  });
});
