import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/item.ts';
import { Interrupted } from '../../../src/worker/scan/metered-table.ts';
import { noCounts } from '../../../src/worker/verify/verify-state.ts';
import { type Search, verifyCopies } from '../../../src/worker/verify/verify-table.ts';
import { aBooking, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { ModelSearch } from './search.ts';

const right = aBooking('ann');
const wrong = aBooking('bob', { Captain: 'Nemo' });
const line = 'differs voyage-on-bookings line_1#voyage_a#bookings bob: Captain';

describe('a search of given copies', () => {
  test('finds drift after a second check, and reports its progress after each page', async () => {
    const search = new ModelSearch([aVoyage(), right, wrong]);
    const began = search.clock.now();
    const told: unknown[] = [];

    const { state } = await searched(search, [[right], [wrong]], {
      onState: ({ items, suspectedDrifts }) => {
        told.push([items, suspectedDrifts.length]);
      },
    });

    expect(search.lines()).toEqual([line]);
    expect(search.clock.now() - began).toBe(5000);
    expect(told).toEqual([
      [1, 0],
      [2, 1],
      [2, 0],
    ]);
    const counts = { copies: 2, kept: 0, unfindable: 0, unstable: 0 };
    expect(state).toEqual({
      ...{ pass: 0, point: { segments: [] }, suspectedDrifts: [], items: 2 },
      rules: { 'voyage-on-bookings': { ...counts, drift: { ...noCounts().drift, differs: 1 } } },
    });
  });

  test('reads no further page after a stop, and does not wait for suspects', async () => {
    const search = new ModelSearch([aVoyage(), right, wrong]);
    const began = search.clock.now();

    const { state, read } = await searched(search, [[wrong], [right]], { stop: () => true });

    expect([read, state.items, state.suspectedDrifts.length]).toEqual([1, 1, 1]);
    expect(search.lines()).toEqual([]);
    expect(search.clock.now()).toBe(began);
  });

  test('that is stopped in the middle of a read says what it had found', async () => {
    const search = new ModelSearch([aVoyage(), right, wrong]);
    search.port.before = () => {
      if (search.found.length > 0) throw new Interrupted();
    };

    const { state } = await searched(search, [[wrong], [right], [right]], { grace: 0 });

    expect(search.lines()).toEqual([line]);
    expect(state).toMatchObject({
      items: 1,
      rules: { 'voyage-on-bookings': { copies: 1, drift: { differs: 1 } } },
    });
  });
});

/** A search of these pages of copies by one rule, and how many of them it asked for. */
async function searched(
  search: ModelSearch,
  pages: readonly (readonly Item[])[],
  options: Partial<Search> = {},
) {
  let read = 0;
  async function* given() {
    for (const page of pages) {
      read += 1;
      yield page;
    }
  }
  const state = await verifyCopies({ ...search.search({ rules: [voyageOnBookings] }), ...options }, given());
  return { state, read };
}
