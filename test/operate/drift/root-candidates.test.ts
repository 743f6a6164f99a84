import { expect, test } from 'vitest';
import type { Item } from '../../../src/model/item.ts';
import type { Registry } from '../../../src/model/registry.ts';
import { candidatesOfRoot } from '../../../src/operate/drift/root-candidates.ts';
import { wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { isPassed, verifyFrom } from '../../../src/worker/verify/verify-state.ts';
import { searchIn, type TableSearch } from '../../../src/worker/verify/verify-table.ts';
import { aBooking, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { cruises } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { aClub, aGame, league } from '../../fixtures/league/league.ts';
import { aPost, aTagged, posts, titleOnTags } from '../../fixtures/posts/posts.ts';
import { ModelSearch } from '../../worker/verify/search.ts';

/** A search of what the root at this key concerns. */
async function searched(
  items: readonly Item[],
  root: Item,
  registry: Registry = cruises(),
  options: (search: ModelSearch) => Partial<TableSearch> = () => ({}),
) {
  const search = new ModelSearch(items, registry);
  const began = search.clock.now();
  const more = search.search(options(search));
  const source = candidatesOfRoot({ registry, table: search.port, stop: more.stop }, keyIn(root));
  const state = await searchIn(more, verifyFrom(wholeTable(1), registry), source);
  return { search, state, lines: search.lines(), passed: search.clock.now() - began };
}

const wrong = aBooking('bob', { Captain: 'Nemo' });
const line = 'differs voyage-on-bookings line_1#voyage_a#bookings bob: Captain';

test('the copies of one root are searched, twice, and no other root’s', async () => {
  const other = { Part: 'line_1#voyage_b#bookings' };
  const items = [aVoyage(), aBooking('ann'), wrong, aBooking('eve', { ...other, Captain: 'x' })];

  const { state, lines, passed, search } = await searched(items, aVoyage());

  expect(lines).toEqual([line]);
  expect(passed).toBe(5000);
  expect(state).toMatchObject({ items: 2, rules: { 'voyage-on-bookings': { copies: 2, differs: 1 } } });
  expect(isPassed(state)).toBe(true);
  expect(search.port.counts.update).toBe(0);
});

test('a root that creates copies misses those at its keys', async () => {
  const { state, lines } = await searched([aPost(['a', 'b']), aTagged('a')], aPost([]), posts(titleOnTags));

  expect(lines).toEqual(['missing title-on-tags TAG#b POST#1']);
  expect(state.rules['title-on-tags']).toMatchObject({ copies: 1, missing: 1 });
});

test.each<[string, Item, Item[], string]>([
  ['an item that is its own copy', aTicket({ StateSort: undefined }), [], 'derived ticket-state-keys'],
  ['a root that does not say where its copies are', aTicket({ GuestId: undefined }), [], 'invalid ticket-on'],
])('%s is found itself', async (_, root, copies, found) => {
  const { lines } = await searched([root, ...copies], root);

  expect(lines).toEqual([expect.stringContaining(found)]);
});

test('the totals of a target are compared with its members', async () => {
  const { lines } = await searched([aClub('a', { Games: 7 }), aGame('a', 'b')], aClub('a'), league());

  expect(lines).toEqual([expect.stringMatching(/^derived club-totals CLUB#a CLUB: .*Games/)]);
});

test('a later pass reads the root again, which an earlier one may have repaired', async () => {
  const registry = posts(titleOnTags);
  const { lines } = await searched([aPost(['a']), aTagged('a')], aPost([]), registry, (search) => ({
    passes: [{ rules: [], aggregates: [] }, registry],
    onState: ({ pass }) => {
      if (pass === 0) search.table.put(aPost(['a', 'b']));
    },
  }));

  expect(lines).toEqual(['missing title-on-tags TAG#b POST#1']);
});

test('a root that is gone meanwhile concerns nothing', async () => {
  const { state } = await searched([wrong], aVoyage());

  expect([state.items, isPassed(state)]).toEqual([0, true]);
});

test('after a stop, nothing more is read or waited for', async () => {
  const { state, lines, passed } = await searched([aVoyage(), wrong], aVoyage(), cruises(), () => ({
    stop: () => true,
  }));

  expect([state.items, state.suspectedDrifts.length, isPassed(state)]).toEqual([1, 1, false]);
  expect([lines, passed]).toEqual([[], 0]);
});
