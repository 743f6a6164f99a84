import { describe, expect, test } from 'vitest';
import { FatalError } from '../../../src/model/errors.ts';
import type { Item } from '../../../src/model/item.ts';
import type { Rule } from '../../../src/model/rule.ts';
import {
  type Backfill,
  type BackfillState,
  backfill,
  backfillFrom,
  backfillStateSchema,
} from '../../../src/operate/drift/backfill.ts';
import type { LeftAlone } from '../../../src/operate/drift/repair.ts';
import { Budget, unlimited } from '../../../src/worker/scan/budget.ts';
import { isFinished, wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { aBooking, aCrewing, aSailor, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import {
  cruises,
  nameOnCrew,
  nameOnRankThat,
  ticketStateKeys,
  voyageOnBookings,
} from '../../fixtures/cruises/cruise-rules.ts';
import { inSmallPages, itemsBefore, ModelSearch } from '../../worker/verify/search.ts';

describe('a backfill', () => {
  test('updates the copies of every root', async () => {
    const search = new ModelSearch(
      Array.from({ length: 60 }, (_, n) => fleetOf(n, { Captain: undefined })).flat(),
    );

    const state = await run(search, voyageOnBookings);

    expect(state).toMatchObject({ items: 180, roots: 60, written: 120, unchanged: 0, leftAlone: 0 });
    await search.run();
    expect(search.lines()).toEqual([]);
  });

  test('writes derived attributes on every item that is its own copy', async () => {
    const search = new ModelSearch([
      aTicket({ StatePart: undefined, StateSort: undefined }),
      aTicket({ Part: 'TICKET#u' }),
      aVoyage(),
    ]);

    const state = await run(search, ticketStateKeys);

    expect(state).toMatchObject({ items: 3, roots: 2, written: 1, unchanged: 1 });
    expect(search.port.counts).toMatchObject({ getMany: 2, get: 0, itemsWritten: 1 });
  });

  test('finds copies by their index', async () => {
    const search = new ModelSearch([aSailor(), aCrewing('pequod', { Name: undefined })]);

    expect(await run(search, nameOnCrew)).toMatchObject({ roots: 1, written: 1 });
  });

  test('writes nothing if everything is right', async () => {
    const search = new ModelSearch([...fleetOf(1), ...fleetOf(2), aSailor(), aCrewing('pequod'), aTicket()]);
    const before = search.table.history.length;

    for (const rule of search.registry.rules) await run(search, rule);

    expect(search.table.history).toHaveLength(before);
    expect(search.port.counts.update + search.port.counts.remove).toBe(0);
  });

  test('updates all copies of a root with many pages of copies', async () => {
    const guests = Array.from({ length: 1234 }, (_, n) => aBooking(`guest ${n}`, { Captain: 'Nemo' }));
    const search = new ModelSearch([aVoyage(), ...guests]);

    expect(await run(search, voyageOnBookings)).toMatchObject({ roots: 1, written: 1234 });
  });

  test('leaves alone copies that would lose unmapped attributes, and copies that cannot be projected', async () => {
    const search = new ModelSearch([
      aVoyage(),
      aBooking('ann', { Notes: 'vegetarian' }),
      aVoyage({ Sort: 'voyage_b', State: undefined }),
      aBooking('bob', { Part: 'line_1#voyage_b#bookings', Captain: 'Nemo' }),
    ]);
    const leftAlone: LeftAlone[] = [];

    const state = await run(search, voyageOnBookings, { onLeftAlone: (some) => leftAlone.push(...some) });

    expect(state).toMatchObject({ written: 0, leftAlone: 2 });
    expect(leftAlone.map(({ code }) => code).toSorted()).toEqual(['root.invalid', 'unmapped']);
  });

  test('misses nothing and writes nothing twice when it is interrupted twice', async () => {
    const search = new ModelSearch(
      Array.from({ length: 90 }, (_, n) => fleetOf(n, { Captain: undefined })).flat(),
    );
    let state = backfillFrom(wholeTable(4));

    let runs = 0;
    for (; !isFinished(state.point) && runs < 50; runs += 1) {
      let told = 0;
      state = await run(
        search,
        voyageOnBookings,
        {
          budget: new Budget(1, search.clock),
          stop: () => told > 2,
          onState: () => {
            told += 1;
          },
        },
        backfillStateSchema.parse(JSON.parse(JSON.stringify(state))),
      );
    }

    expect(runs).toBeGreaterThan(2);
    expect(state).toMatchObject({ items: 270, roots: 90, written: 180 });
    expect(search.port.counts.itemsWritten).toBe(180);
  });

  test('has counted the items before its position whenever it is saved, and no others', async () => {
    const search = new ModelSearch(Array.from({ length: 60 }, (_, n) => fleetOf(n)).flat());
    const states: BackfillState[] = [];

    await run(search, voyageOnBookings, {
      ...{ scan: inSmallPages(search.scan), concurrency: 4 },
      onState: (state) => {
        states.push(state);
      },
    });

    expect(states.length).toBeGreaterThan(20);
    for (const { items, point } of states) expect(items).toBe(await itemsBefore(search.scan, point));
  });

  test('counts its writes when it is stopped in the middle of a page, and reads that page again', async () => {
    const guests = Array.from({ length: 1234 }, (_, n) => aBooking(`guest ${n}`, { Captain: 'Nemo' }));
    const search = new ModelSearch([aVoyage(), ...guests]);

    const stopped = await run(search, voyageOnBookings, { stop: () => search.port.counts.update > 0 });

    expect(stopped).toEqual({ ...backfillFrom(stopped.point), written: 500 });
    expect(isFinished(stopped.point)).toBe(false);

    const finished = await run(search, voyageOnBookings, {}, stopped);
    expect(finished).toMatchObject({ roots: 1, written: 1234, unchanged: 500 });
    expect(isFinished(finished.point)).toBe(true);
  });

  test('counts lost conditions, and copies removed because their root moved at that moment', async () => {
    const search = new ModelSearch(
      [aVoyage(), aBooking('ann', { Captain: 'Nemo' }), aSailor(), aCrewing('s', { OwnerPart: 'RANK#mate' })],
      cruises(nameOnRankThat('delete', 'delete')),
    );
    search.port.before = ({ kind }) => {
      if (kind === 'queryIndex') search.table.put(aSailor({ Rank: 'captain' }));
      if (kind === 'update' && search.port.counts.update === 0)
        search.table.put(aBooking('ann', { Captain: 'Bligh' }));
    };

    const onBookings = await run(search, voyageOnBookings);
    const onCrew = await run(search, nameOnRankThat('delete', 'delete'));

    expect(onBookings).toMatchObject({ written: 1, lost: 1, removed: 0 });
    expect(onCrew).toMatchObject({ written: 0, lost: 0, removed: 1 });
  });

  test('ends when nothing can be processed', async () => {
    const search = new ModelSearch(fleetOf(1));
    search.port.before = () => {
      throw new FatalError('aws.denied', 'GetItem was denied');
    };

    await expect(run(search, voyageOnBookings)).rejects.toThrow('GetItem was denied');
  });

  test('refuses to resume from a state with a negative count', () => {
    const state = { ...backfillFrom(wholeTable(1)), roots: -1 };

    expect(backfillStateSchema.safeParse(state).success).toBe(false);
  });
});

function fleetOf(number: number, attributes: Parameters<typeof aBooking>[1] = {}): Item[] {
  const Part = `line_1#voyage_${number}#bookings`;
  return [
    aVoyage({ Sort: `voyage_${number}` }),
    aBooking('ann', { Part, ...attributes }),
    aBooking('bob', { Part, ...attributes }),
  ];
}

async function run(
  search: ModelSearch,
  rule: Rule,
  options: Partial<Backfill> = {},
  from: BackfillState = backfillFrom(wholeTable(4)),
): Promise<BackfillState> {
  const { registry, clock, scan } = search;
  const stop = options.stop ?? (() => false);
  return backfill(
    {
      ...{ table: registry.table, rule, propagations: search.propagations({ stop }), scan, clock, stop },
      budget: unlimited(clock),
      concurrency: 2,
      onLeftAlone: () => {},
      ...options,
    },
    from,
  );
}
