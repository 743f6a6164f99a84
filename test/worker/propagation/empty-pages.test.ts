import { describe, expect, test } from 'vitest';
import { ModelScan } from '../../../src/develop/testing/table-model/model-scan.ts';
import { auditItems } from '../../../src/operate/archive/audit/audit.ts';
import { auditErasures } from '../../../src/operate/archive/audit/audit-erasures.ts';
import { sweep } from '../../../src/worker/archive/sweep/sweep.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { pagesOf } from '../../../src/worker/propagation/copy-pages.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { unlimited } from '../../../src/worker/scan/budget.ts';
import { isFinished, wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { aLegOf, aPastVoyage, aUsedTicket } from '../../fixtures/cruises/cruise-aging.ts';
import { CruiseArchive, collected, layouts, listedStates } from '../../fixtures/cruises/cruise-archive.ts';
import { auditing, wrongs } from '../../fixtures/cruises/cruise-audit.ts';
import { aBooking, aCrewing, aSailor, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { nameOnCrew, voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { CruiseSweep } from '../../fixtures/cruises/cruise-sweep.ts';
import { keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { sparseLists, sparseQueries, sparseScan } from '../../table-model/empty-pages.ts';
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
      pagesOf({ registry: { table }, table: sparseQueries(search.port), settings: defaultSettings }, rule, {
        ...propagation,
        locations,
      }),
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

      const states = worker.table.partition('line_1#voyage_a#bookings').map(({ State }) => State);
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

  test.each(layouts)('an audit of an archive in the layout %s', async (layout) => {
    const cruise = new CruiseArchive({ layout });
    await cruise.archived(aTicket({ EndsAt: 1_000 }));
    cruise.table.put(aTicket({ Part: 'TICKET#u', EndsAt: 1_000 }));
    const { running, findings } = auditing(cruise, { reader: sparseLists(cruise.reader(1)) });

    const point = await auditItems(running, {
      scan: sparseScan(new ModelScan(cruise.table)),
      budget: unlimited(new VirtualClock()),
      point: wholeTable(2),
      concurrency: 2,
    });
    await running.finish();

    expect(isFinished(point)).toBe(true);
    expect(wrongs({ findings })).toEqual([['missing', 'Ticket', 'TICKET']]);
  });

  test('an audit of erasures', async () => {
    const cruise = new CruiseArchive({ onDelete: 'erase' });
    await cruise.archived(aTicket({ EndsAt: 1_000 }));
    cruise.table.delete(keyIn(aTicket()));
    const { running, findings } = auditing(cruise, { reader: sparseLists(cruise.reader(1)) });

    await auditErasures(running, () => {});
    await running.finish();

    expect(wrongs({ findings })).toEqual([['left', 'Ticket', 'TICKET']]);
  });

  test.each(layouts)('a list of the archive or of one item’s states: layout %s', async (layout) => {
    const cruise = new CruiseArchive({ layout });
    const ticket = aTicket({ EndsAt: 1_000 });
    await cruise.expired(aTicket({ Part: 'TICKET#s', EndsAt: 1_000 }), ticket);
    const reader = sparseLists(cruise.reader(1));

    expect(await listedStates(reader, table)).toEqual(await listedStates(cruise.reader(), table));
    expect(await listedStates(reader, table, { kinds: ['Ticket'], key: keyIn(ticket) })).toHaveLength(1);
  });
});
