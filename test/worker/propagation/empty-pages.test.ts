import { describe, expect, test } from 'vitest';
import { sweep } from '../../../src/worker/archive/sweep/sweep.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { pagesOf } from '../../../src/worker/propagation/copy-pages.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { isFinished } from '../../../src/worker/scan/scan-table.ts';
import { aLegOf, aPastVoyage, aUsedTicket } from '../../fixtures/cruises/cruise-aging.ts';
import { collected } from '../../fixtures/cruises/cruise-archive.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { nameOnCrew, voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { CruiseSweep } from '../../fixtures/cruises/cruise-sweep.ts';
import { keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { table } from '../../fixtures/model/table.ts';
import { sparseQueries, sparseScan } from '../../table-model/empty-pages.ts';
import { ModelSearch } from '../verify/search.ts';

const guests = ['a', 'b', 'c'];
const bookings = guests.map((guest) => aBooking(guest, { State: 'stale' }));

describe('an empty page that is not the last does not end', () => {
  test('a verify', async () => {
    const search = new ModelSearch([aVoyage(), ...bookings]);

    const state = await search.run({ scan: sparseScan(search.scan) });

    expect(isFinished(state.point)).toBe(true);
    expect(state.items).toBe(4);
    expect(search.lines()).toHaveLength(3);
  });

  test('a verify of one root’s copies', async () => {
    const search = new ModelSearch([aVoyage(), ...bookings]);
    const rule = voyageOnBookings;
    const propagation = { rule: rule.name, root: keyIn(aVoyage()), cause: 'repair', attempts: 0 } as const;
    const locations = [{ in: 'partition', pk: 'line_1#voyage_a#bookings' } as const];

    const seen = await collected(
      pagesOf(
        { registry: { table }, table: sparseQueries(search.port), settings: defaultSettings },
        bound(rule),
        {
          ...propagation,
          locations,
        },
      ),
    );

    expect(seen.flatMap(({ copies }) => copies)).toHaveLength(3);
  });

  test.each([
    ['a partition', voyageOnBookings, [aVoyage(), ...bookings], 3],
    ['an index', nameOnCrew, [aSailor(), aCrewing('pequod', { Name: 'stale' })], 1],
  ] as const)('a backfill, nor its queries of %s', async (_, rule, items, written) => {
    const search = new ModelSearch(items);

    const { state, ...outcome } = await search.backfill(rule, {
      propagations: search.propagations({ table: sparseQueries(search.port) }),
      scan: sparseScan(search.scan),
    });

    expect(outcome).toMatchObject({ propagations: 1, written });
    expect(isFinished(state.point)).toBe(true);
  });

  test('a propagation, whether it continues immediately or through the queue', async () => {
    for (const pageLimit of [2, 500]) {
      const worker = workerOver([aVoyage(), ...guests.map((guest) => aBooking(guest))], { pageLimit });
      const context = { ...worker.context, table: sparseQueries(worker.port) };
      worker.table.put(aVoyage({ State: 'CLOSED' }));

      await propagateBatch(context, worker.stream.take());
      for (let messages = worker.queue.take(); messages.length > 0; messages = worker.queue.take())
        await fanOutBatch(context, messages);

      const states = worker.table.partition('line_1#voyage_a#bookings').map(({ item }) => item['State']);
      expect(states).toEqual(guests.map(() => ({ S: 'CLOSED' })));
    }
  });

  test('a sweep, by scan or by index, or its queries for companions', async () => {
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf('t', 1), aLegOf('t', 2), aPastVoyage()]);
    const { scan, port } = cruise;
    const sparse = { scan: sparseScan(scan), table: sparseQueries(port) };

    const reports = await sweep({ ...cruise.context(), ...sparse }, { tableName: 'cruises' });

    expect(reports).toMatchObject([
      { finished: true, kinds: { Ticket: { swept: 1 }, Leg: { swept: 2 } } },
      { finished: true, kinds: { Voyage: { swept: 1 } } },
    ]);
  });
});
