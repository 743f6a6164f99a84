import { describe, expect, test } from 'vitest';
import { FatalError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { nothing } from '../../../src/operate/drift/repair.ts';
import { Budget } from '../../../src/worker/budget.ts';
import { isFinished, wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { verifyFrom, verifyStateSchema } from '../../../src/worker/verify/verify-state.ts';
import { aBooking, aCrewing, aSailor, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import {
  cruises,
  nameOnRankThat,
  ticketStateKeys,
  voyageOnBookings,
} from '../../fixtures/cruises/cruise-rules.ts';
import { added, ModelSearch } from '../../worker/verify/search.ts';

describe('a backfill', () => {
  test('writes derived attributes on every item that is its own copy', async () => {
    const search = new ModelSearch([
      aTicket({ StatePart: undefined, StateSort: undefined }),
      aTicket({ Part: 'TICKET#u' }),
      aVoyage(),
    ]);

    const outcome = await search.backfill(ticketStateKeys);

    expect(outcome).toMatchObject({ items: 3, propagations: 2, written: 1, unchanged: 1 });
    expect(search.port.counts).toMatchObject({ getMany: 2, get: 0, itemsWritten: 1 });
  });

  test('leaves alone copies that would lose unmapped attributes, and copies that cannot be projected', async () => {
    const search = new ModelSearch([
      aVoyage(),
      aBooking('ann', { Notes: 'vegetarian' }),
      aVoyage({ Sort: 'voyage_b', State: undefined }),
      aBooking('bob', { Part: 'line_1#voyage_b#bookings', Captain: 'Nemo' }),
    ]);

    const { written, leftAlone } = await search.backfill(voyageOnBookings);

    expect(written).toBe(0);
    expect(leftAlone.map(({ code }) => code).toSorted()).toEqual(['root.invalid', 'unmapped']);
  });

  test('misses nothing and writes nothing twice when it is interrupted twice', async () => {
    const search = new ModelSearch(
      Array.from({ length: 90 }, (_, n) => fleetOf(n, { Captain: undefined })).flat(),
    );
    let state = verifyFrom(wholeTable(4));
    let outcome = nothing;

    let runs = 0;
    for (; !isFinished(state.point) && runs < 50; runs += 1) {
      let told = 0;
      const run = await search.backfill(
        voyageOnBookings,
        {
          budget: new Budget(1, search.clock),
          stop: () => told > 2,
          onState: () => {
            told += 1;
          },
        },
        verifyStateSchema.parse(JSON.parse(JSON.stringify(state))),
      );
      state = run.state;
      outcome = added(outcome, run);
    }

    expect(runs).toBeGreaterThan(2);
    expect(state.items).toBe(270);
    expect(outcome).toMatchObject({ propagations: 90, written: 180 });
    expect(search.port.counts.itemsWritten).toBe(180);
  });

  test('counts its writes when it is stopped in the middle of a page, and reads that page again', async () => {
    const guests = Array.from({ length: 1234 }, (_, n) => aBooking(`guest ${n}`, { Captain: 'Nemo' }));
    const search = new ModelSearch([aVoyage(), ...guests]);

    const stopped = await search.backfill(voyageOnBookings, { stop: () => search.port.counts.update > 0 });

    expect(stopped).toMatchObject({ ...nothing, items: 0, written: 500 });
    expect(isFinished(stopped.state.point)).toBe(false);

    const finished = await search.backfill(voyageOnBookings, {}, stopped.state);
    expect(finished).toMatchObject({ propagations: 1, written: 734, unchanged: 500 });
    expect(isFinished(finished.state.point)).toBe(true);
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

    const onBookings = await search.backfill(voyageOnBookings);
    const onCrew = await search.backfill(nameOnRankThat('delete', 'delete'));

    expect(onBookings).toMatchObject({ written: 1, lost: 1, removed: 0 });
    expect(onCrew).toMatchObject({ written: 0, lost: 0, removed: 1 });
  });

  test('ends when nothing can be processed', async () => {
    const search = new ModelSearch(fleetOf(1));
    search.port.before = () => {
      throw new FatalError('aws.denied', 'GetItem was denied');
    };

    await expect(search.backfill(voyageOnBookings)).rejects.toThrow('GetItem was denied');
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
