import { describe, expect, test } from 'vitest';
import { added, type LeftAlone, type PropagationsOptions, postponedOf } from '../../src/drift/repair.ts';
import { driftIn, verifyFrom } from '../../src/drift/verify-state.ts';
import { isFinished, wholeTable } from '../../src/scan/scan-table.ts';
import {
  aBooking,
  aCrewing,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../fixtures/cruises/cruise-items.ts';
import { ModelSearch } from './search.ts';

const wrong = [
  aVoyage(),
  aBooking('ann', { Captain: 'Nemo' }),
  aBooking('bob', { State: undefined }),
  aBooking('eve'),
  aBooking('dan', { Notes: 'vegetarian', Captain: 'Nemo' }),
  aBooking('ann', { Part: 'line_1#voyage_gone#bookings' }),
  aTicket({ StatePart: 'STATUS#OLD' }),
  aGuestTicket({ Part: 'GUEST#7', Price: 1 }),
  aLeg({ PortId: undefined, OwnerSort: 'CALL#old' }),
];

describe('a repair', () => {
  test('writes copies that differ and derived attributes, and nothing else', async () => {
    const search = new ModelSearch(wrong);
    const before = search.table.history.length;

    const { outcome } = await repair(search);

    const written = search.table.history.slice(before).map(({ key }) => `${key.pk} ${key.sk}`);
    expect(written.toSorted()).toEqual([
      'TICKET#t TICKET',
      'line_1#voyage_a#bookings ann',
      'line_1#voyage_a#bookings bob',
    ]);
    expect(outcome.written).toBe(3);
    expect(search.table.read({ pk: 'line_1#voyage_a#bookings', sk: 'ann' })).toEqual(aBooking('ann'));
    expect(search.table.read({ pk: 'TICKET#t', sk: 'TICKET' })).toEqual(aTicket());
  });

  test('leaves a copy alone if it would lose unmapped attributes', async () => {
    const search = new ModelSearch(wrong);

    const { outcome } = await repair(search);

    expect(codes(outcome.leftAlone)).toEqual(['unmapped line_1#voyage_a#bookings dan']);
  });

  test('removes unmapped attributes if that is allowed', async () => {
    const search = new ModelSearch(wrong);

    const { outcome } = await repair(search, { allowRemove: true });

    expect(outcome.leftAlone).toEqual([]);
    expect(search.table.read({ pk: 'line_1#voyage_a#bookings', sk: 'dan' })).toEqual(aBooking('dan'));
  });

  test('does not remove an unmapped attribute that an application sets at the last moment', async () => {
    const search = new ModelSearch([aVoyage(), aBooking('ann', { Captain: 'Nemo' })]);
    const found = await drift(search);
    search.table.put(aBooking('ann', { Captain: 'Nemo', Notes: 'vegetarian' }));

    const outcome = await search.propagations().repair(found);

    expect(codes(outcome.leftAlone)).toEqual(['unmapped line_1#voyage_a#bookings ann']);
    expect(search.table.read({ pk: 'line_1#voyage_a#bookings', sk: 'ann' })).toHaveProperty('Notes');
  });

  test('leaves only drift that needs a person, and then writes nothing', async () => {
    const search = new ModelSearch(wrong);
    await repair(search);
    const before = search.table.history.length;

    const { outcome, found } = await repair(search);

    expect(found.map(({ kind, copy }) => `${kind} ${copy.pk}`).toSorted()).toEqual([
      'differs line_1#voyage_a#bookings',
      'foreign GUEST#7',
      'invalid TICKET#t',
      'orphan line_1#voyage_gone#bookings',
    ]);
    expect(outcome.written).toBe(0);
    expect(search.table.history).toHaveLength(before);
  });

  test('writes the root’s state at the time of the propagation, not of the finding', async () => {
    const search = new ModelSearch([aVoyage(), aBooking('ann', { Captain: 'Nemo' })]);
    const found = await drift(search);
    search.table.put(aVoyage({ Captain: 'Bligh' }));

    await search.propagations().repair(found);

    expect(search.table.read({ pk: 'line_1#voyage_a#bookings', sk: 'ann' })).toEqual(
      aBooking('ann', { Captain: 'Bligh' }),
    );
  });

  test('counts a copy that was repaired meanwhile as unchanged', async () => {
    const search = new ModelSearch([aVoyage(), aBooking('ann', { Captain: 'Nemo' })]);
    const found = await drift(search);
    search.table.put(aBooking('ann'));

    expect(await search.propagations().repair(found)).toMatchObject({ written: 0, unchanged: 1 });
  });

  test('runs one propagation for each root, with its copies listed', async () => {
    const search = new ModelSearch([
      aSailor(),
      aCrewing('pequod', { Name: 'x' }),
      aCrewing('dolphin', { Name: 'y' }),
    ]);
    const found = await drift(search);
    search.port.counts.get = 0;

    await search.propagations().repair(found);

    expect(search.port.counts).toMatchObject({ get: 1, queryIndex: 0, update: 1, itemsWritten: 2 });
  });

  test('continues an interrupted repair', async () => {
    const search = new ModelSearch(wrong);
    const found = await drift(search);
    let asked = 0;
    const stop = () => {
      asked += 1;
      return asked > 2;
    };

    const first = await search.propagations({ stop, concurrency: 1 }).repair(found);
    const left = postponedOf(found, first.unfinished);
    const second = await search.propagations().repair(left);

    expect(first.unfinished).not.toEqual([]);
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(found.length);
    expect(first.written + second.written).toBe(3);

    expect(search.table.read({ pk: 'line_1#voyage_a#bookings', sk: 'bob' })).toEqual(aBooking('bob'));
    expect(search.table.read({ pk: 'TICKET#t', sk: 'TICKET' })).toEqual(aTicket());
  });

  test('counts every write and every finding of a search once, however often it is stopped', async () => {
    const search = new ModelSearch(
      Array.from({ length: 60 }, (_, n) => [
        aVoyage({ Sort: `voyage_${n}` }),
        aBooking('ann', { Part: `line_1#voyage_${n}#bookings`, Captain: 'Nemo' }),
      ]).flat(),
    );
    let state = verifyFrom(wholeTable(2), search.registry.rules);
    let written = 0;

    let runs = 0;
    for (; runs < 100 && !(isFinished(state.point) && state.suspectedDrifts.length === 0); runs += 1) {
      let asked = 0;
      const stop = () => {
        asked += 1;
        return asked > 40;
      };
      const mending = search.propagations({ stop, concurrency: 2 });
      state = await search.run(
        {
          stop,
          onDrift: async (found) => {
            const drifts = found.map((one) => one.drift);
            const outcome = await mending.repair(drifts);
            const moved = () => {
              written += outcome.written;
            };
            return { moved, postponed: postponedOf(drifts, outcome.unfinished) };
          },
        },
        structuredClone(state),
      );
    }

    expect(runs).toBeGreaterThan(2);
    expect([written, driftIn(state)]).toEqual([60, 60]);
  });

  test('reports each copy that could not be written, with the reason', async () => {
    const search = new ModelSearch([aVoyage(), aBooking('ann', { Captain: 'Nemo' })]);
    const found = await drift(search);
    search.table.put(aVoyage({ State: undefined }));

    const outcome = await search.propagations().repair(found);

    expect(outcome.leftAlone).toMatchObject([{ rule: 'voyage-on-bookings', code: 'root.invalid' }]);
  });
});

async function repair(search: ModelSearch, options: Partial<PropagationsOptions> = {}) {
  const mending = search.propagations(options);
  let outcome = await mending.repair([]);
  search.found.length = 0;
  await search.run({
    onDrift: async (found) => {
      search.found.push(...found);
      const repaired = await mending.repair(found.map((one) => one.drift));
      outcome = added(outcome, repaired);
    },
  });
  return { outcome, found: search.drift() };
}

async function drift(search: ModelSearch) {
  await search.run();
  return search.drift();
}

function codes(leftAlone: readonly LeftAlone[]): string[] {
  return leftAlone.map(({ code, copy }) => `${code} ${copy?.pk} ${copy?.sk}`).toSorted();
}
