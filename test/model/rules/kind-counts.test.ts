import { describe, expect, test } from 'vitest';
import { type Item, keyed } from '../../../src/model/items/item.ts';
import {
  KindCounter,
  keyShape,
  kindCountsSchema,
  knownWords,
  unmatchedKinds,
  usedKinds,
} from '../../../src/model/rules/kind-counts.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import { aCrewing, aSailor } from '../../fixtures/cruises/cruise-items.ts';
import { crewing, sailor, voyage } from '../../fixtures/cruises/cruise-kinds.ts';
import { nameOnCrew } from '../../fixtures/cruises/cruise-rules.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';

const registry = makeRegistry(table, [nameOnCrew]);

function counted(items: readonly Item[]) {
  const counter = new KindCounter(registry);
  counter.add(items.map((item) => keyed(table, item)));
  return counter.counts();
}

describe('the shape of a key', () => {
  const known = knownWords([sailor, crewing, voyage]);
  test.each([
    ['SAILOR#17', 'CREW#ann', 'SAILOR#… / CREW#…'],
    ['sailor#17', 'METADATA', 'sailor#… / METADATA'],
    ['line_secret#voyages', 'voyage_x', 'line_…#voyages / voyage_…'],
    ['$shop#tenant_secret', '$booking_1#guest_ann@example.com', '$shop#tenant_… / $booking_…#guest_…'],
    ['ORDER#2026-01-04T09:30:00Z', '', 'ORDER#…'],
    ['john_doe#x|y', 'ann', '…#…|… / …'],
  ])('has labels and known words alone: %s %s', (pk, sk, shape) => {
    expect(keyShape({ pk, sk }, known)).toBe(shape);
  });
});

test('items are counted by their kinds, and those of none by what they are like', () => {
  const counts = counted([
    aSailor(),
    aSailor({ Kind: 'sailor' }),
    aSailor({ Kind: 'sailor', Part: 'SAILOR#secret' }),
    aCrewing('s', { Sort: 'sailor#secret' }),
    item({ Part: 'LOG#secret', Sort: '1', Kind: 'Log' }),
  ]);

  expect(counts).toMatchObject({ items: 5, kinds: { Sailor: 1 }, ofNoKind: 4 });
  expect(counts.strangers.map(({ example: _, ...rest }) => rest)).toEqual([
    { like: 'key', kinds: ['Sailor'], type: "'sailor'", shape: 'SAILOR#… / SAILOR', items: 2 },
    { like: 'type', kinds: ['Crewing'], type: "'Crewing'", shape: 'SHIP#… / sailor#…', items: 1 },
    { like: 'nothing', kinds: [], type: "'Log'", shape: 'LOG#… / …', items: 1 },
  ]);
  expect(unmatchedKinds(usedKinds(registry), counts).map(({ kind, users }) => [kind.name, users])).toEqual([
    ['Crewing', ['name-on-crew']],
  ]);
});

test('counting continues from what was saved', () => {
  const items = [aSailor(), aSailor({ Kind: 'x' }), aCrewing('s')];
  const counter = new KindCounter(
    registry,
    kindCountsSchema.parse(JSON.parse(JSON.stringify(counted(items)))),
  );
  counter.add(items.map((item) => keyed(table, item)));

  expect(counter.counts()).toEqual(counted([...items, ...items]));
});

test('a thousand sorts of strangers take the memory of thirty, and none is lost from the sum', () => {
  const odd = Array.from({ length: 1000 }, (_, n) => item({ Part: 'a', Sort: 'b', Kind: `T${n}` }));
  const counts = counted([...odd, aSailor({ Kind: 'sailor' })]);

  expect(counts.ofNoKind).toBe(1001);
  expect(counts.strangers.filter(({ like }) => like === 'nothing')).toHaveLength(30);
  expect(counts.strangers.filter(({ like }) => like === 'key')).toHaveLength(1);
});
