import { describe, expect, test } from 'vitest';
import { FatalError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { nothing } from '../../../src/operate/drift/repair.ts';
import { Budget } from '../../../src/worker/budget.ts';
import { isFinished, wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { verifyFrom, verifyStateSchema } from '../../../src/worker/verify/verify-state.ts';
import { aMembership, anIncident, anOrder, aParticipation, aUser } from '../../fixtures/world/items.ts';
import {
  incidentOnParticipations,
  orderStateKeys,
  usernameOnRankThat,
  world,
} from '../../fixtures/world/rules.ts';
import { added, WorldSearch } from '../../fixtures/world/search.ts';

describe('a backfill', () => {
  test('writes derived attributes on every item that is its own copy', async () => {
    const search = new WorldSearch([
      anOrder({ StatePart: undefined, StateSort: undefined }),
      anOrder({ Part: 'ORDER#u' }),
      anIncident(),
    ]);

    const outcome = await search.backfill(orderStateKeys);

    expect(outcome).toMatchObject({ items: 3, propagations: 2, written: 1, unchanged: 1 });
    expect(search.port.counts).toMatchObject({ getMany: 2, get: 0, itemsWritten: 1 });
  });

  test('leaves alone copies that would lose attributes, or cannot be projected', async () => {
    const search = new WorldSearch([
      anIncident(),
      aParticipation('ann', { Notes: 'vegetarian' }),
      anIncident({ Sort: 'incident_b', State: undefined }),
      aParticipation('bob', { Part: 'acct_1#incident_b#participations', Lead: 'Erik' }),
    ]);

    const { written, leftAlone } = await search.backfill(incidentOnParticipations);

    expect(written).toBe(0);
    expect(leftAlone.map(({ code }) => code).toSorted()).toEqual(['root.invalid', 'unmapped']);
  });

  test('misses nothing and writes nothing twice when it is interrupted twice', async () => {
    const search = new WorldSearch(
      Array.from({ length: 90 }, (_, n) => teamOf(n, { Lead: undefined })).flat(),
    );
    let state = verifyFrom(wholeTable(4));
    let outcome = nothing;

    let runs = 0;
    for (; !isFinished(state.point) && runs < 50; runs += 1) {
      let told = 0;
      const run = await search.backfill(
        incidentOnParticipations,
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

  test('counts its writes when it is stopped in a page, and reads that page again', async () => {
    const users = Array.from({ length: 1234 }, (_, n) => aParticipation(`user ${n}`, { Lead: 'Erik' }));
    const search = new WorldSearch([anIncident(), ...users]);

    const stopped = await search.backfill(incidentOnParticipations, {
      stop: () => search.port.counts.update > 0,
    });

    expect(stopped).toMatchObject({ ...nothing, items: expect.any(Number), written: 500 });
    expect(isFinished(stopped.state.point)).toBe(false);

    const finished = await search.backfill(incidentOnParticipations, {}, stopped.state);
    expect(finished).toMatchObject({ propagations: 1, written: 734, unchanged: 500 });
    expect(isFinished(finished.state.point)).toBe(true);
  });

  test('counts lost conditions, and copies removed because their root moved', async () => {
    const search = new WorldSearch(
      [
        anIncident(),
        aParticipation('ann', { Lead: 'Erik' }),
        aUser(),
        aMembership('s', { OwnerPart: 'RANK#member' }),
      ],
      world(usernameOnRankThat('delete', 'delete')),
    );
    search.port.before = ({ kind }) => {
      if (kind === 'queryIndex') search.table.put(aUser({ Rank: 'lead' }));
      if (kind === 'update' && search.port.counts.update === 0)
        search.table.put(aParticipation('ann', { Lead: 'Bligh' }));
    };

    const onParticipations = await search.backfill(incidentOnParticipations);
    const onMembership = await search.backfill(usernameOnRankThat('delete', 'delete'));

    expect(onParticipations).toMatchObject({ written: 1, lost: 1, removed: 0 });
    expect(onMembership).toMatchObject({ written: 0, lost: 0, removed: 1 });
  });

  test('ends when nothing can be processed', async () => {
    const search = new WorldSearch(teamOf(1));
    search.port.before = () => {
      throw new FatalError('aws.denied', 'GetItem was denied');
    };

    await expect(search.backfill(incidentOnParticipations)).rejects.toThrow('GetItem was denied');
  });
});

function teamOf(number: number, attributes: Parameters<typeof aParticipation>[1] = {}): Item[] {
  const Part = `acct_1#incident_${number}#participations`;
  return [
    anIncident({ Sort: `incident_${number}` }),
    aParticipation('ann', { Part, ...attributes }),
    aParticipation('bob', { Part, ...attributes }),
  ];
}
