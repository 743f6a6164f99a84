import { describe, expect, test } from 'vitest';
import { FatalError } from '../../../src/model/errors.ts';
import type { Item } from '../../../src/model/item.ts';
import type { Message } from '../../../src/model/message.ts';
import { nothing, postponedOf } from '../../../src/operate/drift/repair.ts';
import { Interrupted } from '../../../src/worker/scan/metered-table.ts';
import type { Drift } from '../../../src/worker/verify/drift.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnRankThat } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { ModelSearch } from './search.ts';

const ann = keyIn(aBooking('ann'));
const wrong = [aVoyage(), aBooking('ann', { Captain: 'Nemo' })];

/** The propagation that such a finding asks for. */
const annsTurn: Message = {
  ...{ rule: 'voyage-on-bookings', root: keyIn(aVoyage()), cause: 'repair', copies: [ann], attempts: 0 },
};

describe('the outcome of propagations', () => {
  test('counts lost conditions over all propagations', async () => {
    const { search, found } = await drifted([...wrong, ...ofAnother('b')]);
    const written = new Set<string>();
    search.port.before = (request) => {
      const pk = request.kind === 'update' ? request.updates[0]?.key.pk : undefined;
      if (pk === undefined || written.has(pk)) return;
      written.add(pk);
      search.table.put(aBooking('ann', { Part: pk, Captain: 'Bligh' }));
    };

    expect(await search.propagations().repair(found)).toEqual({
      ...nothing,
      ...{ propagations: 2, written: 2, lost: 2 },
    });
  });

  test('counts copies removed because their root moved at that moment', async () => {
    const search = leaving();

    const message: Message = { rule: 'name-on-crew', root: keyIn(aSailor()), cause: 'repair', attempts: 0 };

    expect(await search.propagations().take([message])).toEqual({
      ...nothing,
      ...{ propagations: 1, removed: 1 },
    });
    expect(search.table.read(keyIn(aCrewing('pequod')))).toBeUndefined();
  });

  test('has the writes of a propagation that was stopped after a page, and lists it as unfinished', async () => {
    const guests = Array.from({ length: 700 }, (_, n) => aBooking(`guest ${n}`, { Captain: 'Nemo' }));
    const search = new ModelSearch([aVoyage(), ...guests]);
    const { copies: _, ...whole } = annsTurn;

    const stop = () => search.port.counts.update > 0;

    expect(await search.propagations({ stop }).take([whole])).toEqual({
      ...nothing,
      ...{ written: 500, unfinished: [whole] },
    });
  });

  test('lists a propagation that was interrupted during a read as unfinished', async () => {
    const { search, found } = await drifted(wrong);
    search.port.before = () => {
      throw new Interrupted();
    };

    const outcome = await search.propagations().repair(found);

    expect(outcome).toEqual({ ...nothing, unfinished: [annsTurn] });
    expect(postponedOf(found, outcome.unfinished)).toEqual(found);
  });

  test('is an error if nothing can be processed', async () => {
    const { search, found } = await drifted(wrong);
    search.port.before = () => {
      throw new FatalError('aws.denied', 'BatchGetItem was denied');
    };

    await expect(search.propagations().repair(found)).rejects.toThrow('BatchGetItem was denied');
  });

  test('ignores drift without a root, which a plan may contain', async () => {
    const { search, found } = await drifted(wrong);
    const nameless = found.map(({ root: _, ...drift }): Drift => drift);

    expect(await search.propagations().repair(nameless)).toEqual(nothing);
  });
});

describe('a copy that a repair leaves alone', () => {
  test('is reported as refused if the table refuses the write', async () => {
    const { search, found } = await drifted(wrong);
    search.port.answer = () => 'refused';

    expect((await search.propagations().repair(found)).leftAlone).toEqual([
      {
        ...{ rule: 'voyage-on-bookings', copy: ann, root: keyIn(aVoyage()), code: 'copy.refused' },
        reason: 'DynamoDB refuses this write of this copy, whenever it is tried',
      },
    ]);
  });

  test('is reported by itself, although one propagation had all copies of its root', async () => {
    const bob = aBooking('bob', { Captain: 'Nemo' });
    const { search, found } = await drifted([...wrong, bob]);
    search.table.put(aVoyage({ State: undefined }));

    const { leftAlone } = await search.propagations().repair(found);

    expect(leftAlone).toMatchObject([
      { copy: ann, code: 'root.invalid' },
      { copy: keyIn(bob), code: 'root.invalid' },
    ]);
  });

  test('is reported with the current reason, not with that of an earlier propagation', async () => {
    const { search, found } = await drifted(wrong);
    const propagations = search.propagations();
    search.table.put(aBooking('ann', { Captain: 'Nemo', Notes: 'vegetarian' }));
    expect((await propagations.repair(found)).leftAlone).toEqual([
      {
        ...{ rule: 'voyage-on-bookings', copy: ann, root: keyIn(aVoyage()), code: 'unmapped' },
        reason: expect.stringContaining('attributes that no rule names'),
      },
    ]);

    search.table.put(aVoyage({ State: undefined }));

    expect((await propagations.repair(found)).leftAlone).toMatchObject([{ code: 'root.invalid', copy: ann }]);
  });
});

/** Another voyage, and a booking of it that is as wrong. */
function ofAnother(voyage: string): Item[] {
  return [
    aVoyage({ Sort: `voyage_${voyage}` }),
    aBooking('ann', { Part: `line_1#voyage_${voyage}#bookings`, Captain: 'Nemo' }),
  ];
}

/** A crewing at the rank of its sailor, who rises as soon as anybody looks there. */
function leaving(): ModelSearch {
  const search = new ModelSearch(
    [aSailor(), aCrewing('pequod', { OwnerPart: 'RANK#mate' })],
    cruises(nameOnRankThat('delete', 'delete')),
  );
  search.port.before = ({ kind }) => {
    if (kind === 'queryIndex') search.table.put(aSailor({ Rank: 'captain' }));
  };
  return search;
}

async function drifted(items: readonly Item[]) {
  const search = new ModelSearch(items);
  await search.run();
  search.port.counts.update = 0;
  return { search, found: search.drift() };
}
