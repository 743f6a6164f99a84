import { describe, expect, test } from 'vitest';
import { itemSize, maxItem } from '../../../../src/model/items/item-size.ts';
import type { Aging } from '../../../../src/model/rules/archive-rule.ts';
import { makeRegistry, type Registry } from '../../../../src/model/rules/registry.ts';
import { digestOf } from '../../../../src/worker/archive/object.ts';
import {
  agingCruises,
  aLegOf,
  aLogbook,
  aPastVoyage,
  aUsedTicket,
  ticketsAge,
} from '../../../fixtures/cruises/cruise-aging.ts';
import { leg, ticket } from '../../../fixtures/cruises/cruise-kinds.ts';
import {
  archivedDigest,
  CruiseSweep,
  expiryOf,
  inAWeek,
  recordedUpdates,
} from '../../../fixtures/cruises/cruise-sweep.ts';
import { keyIn } from '../../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../../fixtures/model/table.ts';
import { agingRule } from '../../../fixtures/rules/aging-rule.ts';

describe('an item that has aged', () => {
  test.each([
    ['found by an index', aUsedTicket(), 'Ticket', aLegOf(), 'Leg'],
    ['found by a scan', aPastVoyage(), 'Voyage', aLogbook(), 'Logbook'],
  ])(
    'is archived with its companions, and then given an expiry: %s',
    async (_, root, kind, companion, other) => {
      const cruise = new CruiseSweep([root, companion]);
      const early: string[] = [];
      cruise.table.watcher = ({ key, before, after }) => {
        const named = key.sk === keyIn(root).sk ? kind : other;
        if (after?.EndsAt !== undefined && archivedDigest(cruise, named, key) !== digestOf(before ?? {}))
          early.push(key.sk);
      };

      const [report] = await cruise.run({ rules: [`archive-${kind.toLowerCase()}s`] });

      expect(expiryOf(cruise, root)).toEqual(inAWeek);
      expect(expiryOf(cruise, companion)).toEqual(inAWeek);
      expect(early).toEqual([]);
      expect(report).toMatchObject({
        finished: true,
        stored: 2,
        kinds: { [kind]: { swept: 1 }, [other]: { swept: 1 } },
      });
      expect(cruise.port.counts).toMatchObject({ getMany: 1, update: 2 });
    },
  );

  const byOwner = { kind: leg, at: () => ({ in: 'index', index: 'ByOwner', pk: 'LEGS#t' }) as const };
  test.each([
    ['in its partition', agingCruises],
    ['that an index finds', withCompanions(byOwner)],
  ])('is swept with all its companions %s, however many', async (_, registry) => {
    const legs = Array.from({ length: 620 }, (_, number) =>
      aLegOf('t', number, { OwnerPart: 'LEGS#t', OwnerSort: `${number}` }),
    );
    const cruise = new CruiseSweep([aUsedTicket(), ...legs], registry);

    const report = await cruise.sweepTickets();

    expect(report.kinds).toMatchObject({ Ticket: { swept: 1 }, Leg: { swept: 620 } });
  });

  test('is written once if its companions are of its own kind, where it is itself', async () => {
    const besides = { kind: ticket, at: () => ({ in: 'partition', pk: 'TICKET#t' }) as const };
    const cruise = new CruiseSweep([aUsedTicket()], withCompanions(besides));
    const [report] = await cruise.run();

    expect(report?.kinds).toMatchObject({ Ticket: { swept: 1 } });
    expect(cruise.port.counts).toMatchObject({ getMany: 1, update: 1 });
  });

  test('has companions that are guarded by their own attributes alone', async () => {
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf()]);
    const updates = recordedUpdates(cruise);
    await cruise.sweepTickets();

    expect(Object.keys(updates[1]?.expect ?? {}).toSorted()).toEqual(
      [...Object.keys(aLegOf()), 'EndsAt'].toSorted(),
    );
  });

  test('without room for another attribute is reported by its key, and its companions are not swept', async () => {
    const room = maxItem - itemSize(aUsedTicket('t', { Note: '' }));
    const full = aUsedTicket('t', { Note: 'x'.repeat(room) });
    const cruise = new CruiseSweep([full, aLegOf(), aUsedTicket('u')]);

    const report = await cruise.sweepTickets();

    expect(cruise.unclassified).toMatchObject([
      { code: 'item.refused', key: keyIn(full), reason: expect.stringContaining('400 KB') },
    ]);
    expect(cruise.port.counts.getMany).toBe(1);
    expect(expiryOf(cruise, aLegOf())).toBeUndefined();
    expect(expiryOf(cruise, aUsedTicket('u'))).toEqual(inAWeek);
    expect(report.kinds['Ticket']).toMatchObject({ swept: 1, unclassified: 1 });
  });
});

describe('an item whose age cannot be determined', () => {
  const soldAt = (SoldAt: string | undefined) => aUsedTicket('t', { SoldAt, StateSort: 'TICKET#2025' });

  test.each([
    ['lacks an attribute that determines it', soldAt(undefined), 'root.invalid'],
    ['has that attribute in another type', aPastVoyage('a', { DepartsAt: 'yesterday' }), 'root.invalid'],
    ['contains no valid time', soldAt('a while ago'), 'root.undated'],
  ])(
    'because it %s is counted and reported, is not swept, and does not stop the others',
    async (_, odd, code) => {
      const cruise = new CruiseSweep([odd, aLegOf(), aUsedTicket('u'), aPastVoyage('b')]);

      const reports = await cruise.run();

      expect(cruise.unclassified).toMatchObject([{ code, key: keyIn(odd) }]);
      expect(JSON.stringify(cruise.unclassified)).not.toContain('yesterday');
      expect(cruise.table.read(keyIn(odd))).toEqual(odd);
      expect(expiryOf(cruise, aLegOf())).toBeUndefined();
      expect(
        reports.flatMap(({ kinds }) => Object.values(kinds)).map(({ unclassified }) => unclassified),
      ).toContain(1);
      expect(expiryOf(cruise, aUsedTicket('u'))).toEqual(inAWeek);
      expect(expiryOf(cruise, aPastVoyage('b'))).toEqual(inAWeek);
    },
  );
});

/** The rule for tickets alone, with these companions. */
function withCompanions(companion: NonNullable<Aging['with']>[number]): Registry {
  const { ages } = agingRule(ticketsAge);
  return makeRegistry(table, [], [{ ...ticketsAge, ages: { ...ages, with: [companion] } }]);
}
