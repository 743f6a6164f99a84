import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/model/items/change.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { type LeftAlone, nothing, type PropagationsOptions } from '../../../src/operate/drift/repair.ts';
import { type Replay, replay } from '../../../src/operate/drift/replay.ts';
import { aMembership, anIncident, aParticipation, aUser } from '../../fixtures/world/items.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { changeOf, keyIn } from '../../fixtures/world/worker.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const stale = aMembership('s', { Name: 'stale' });
const renamed = (at: number) => changeOf(aUser({ Name: 'Jo' }), aUser(), { at });

/** Replays these changes over a table with these items. */
async function replayed(
  items: readonly Item[],
  changes: readonly Change[],
  options: Partial<Replay & PropagationsOptions> = {},
) {
  const search = new WorldSearch(items);
  const leftAlone: LeftAlone[] = [];
  let outcome = nothing;
  const { allowRemove = false, ...more } = options;
  const report = await replay({
    history: async () => [
      { closed: true, page: async () => ({ changes, ended: true }) },
      { closed: true, page: async () => ({ changes: [], ended: true }) },
    ],
    registry: search.registry,
    propagations: search.propagations({ allowRemove, refusesRemovals: true }),
    clock: search.clock,
    since: noon,
    pauseMs: 0,
    stop: () => false,
    onPage: () => {},
    onLeftAlone: (one) => leftAlone.push(one),
    onOutcome: (one) => {
      outcome = {
        ...outcome,
        written: outcome.written + one.written,
        removed: outcome.removed + one.removed,
      };
    },
    ...more,
  });
  return { search, report, leftAlone, outcome };
}

describe('a replay', () => {
  test('runs what changed since a time again, from the table as it is now', async () => {
    const { search, report, outcome } = await replayed([aUser(), stale], [renamed(noon)]);

    expect(search.table.read(keyIn(stale))).toEqual(aMembership('s'));
    expect(report).toEqual({ records: 1, changes: 1, matched: 1, unreadable: 0, since: noon });
    expect(outcome).toMatchObject({ written: 1, removed: 0 });
  });

  test('passes over what changed before, and says how far the stream goes back', async () => {
    const { search, report } = await replayed([aUser(), stale], [renamed(noon - 1001)]);

    expect(search.table.read(keyIn(stale))).toEqual(stale);
    expect(report).toMatchObject({ records: 1, changes: 0, matched: 0, since: noon - 1001 });
  });

  test('takes a change whose time is unknown, or of the same second, for one of them', async () => {
    const unknown = { ...renamed(noon), at: undefined };

    expect((await replayed([aUser(), stale], [unknown])).report.changes).toBe(1);
    expect((await replayed([aUser(), stale], [renamed(noon - 999)])).report.changes).toBe(1);
  });

  test('checks a copy that changed', async () => {
    const change = changeOf(aMembership('s'), stale, { at: noon });

    const { search } = await replayed([aUser(), stale], [change]);

    expect(search.table.read(keyIn(stale))).toEqual(aMembership('s'));
  });

  test('changes nothing when it is repeated', async () => {
    const { search, report } = await replayed([aUser(), aMembership('s')], [renamed(noon), renamed(noon)]);

    expect(search.table.history.filter(({ by }) => by === 'worker')).toEqual([]);
    expect(report).toMatchObject({ changes: 2, matched: 2 });
  });

  test('removes the copies of a root that went only if it is allowed', async () => {
    const orphan = aParticipation('g');
    const removed = changeOf(anIncident(), undefined, { at: noon });

    const kept = await replayed([orphan], [removed]);
    expect(kept.search.table.read(keyIn(orphan))).toEqual(orphan);
    expect(kept.leftAlone).toMatchObject([
      { code: 'removed', copy: keyIn(orphan), root: keyIn(anIncident()) },
    ]);

    const { search } = await replayed([orphan], [removed], { allowRemove: true });
    expect(search.table.read(keyIn(orphan))).not.toEqual(orphan);
  });

  test('names an item on which a function fails, and goes on', async () => {
    const odd = { ...stale, UserId: { N: '1' } };

    const { leftAlone, report } = await replayed(
      [aUser(), odd],
      [changeOf(undefined, odd, { at: noon }), renamed(noon)],
    );

    expect(leftAlone).toContainEqual(expect.objectContaining({ code: 'copy.invalid', copy: keyIn(odd) }));
    expect(report.matched).toBe(1);
  });

  test('names an item once that is left alone after each of its changes', async () => {
    const change = changeOf(anIncident(), undefined, { at: noon });
    const page = { closed: true, page: async () => ({ changes: [change], ended: true }) };

    const { leftAlone } = await replayed([aParticipation('g')], [], { history: async () => [page, page] });

    expect(leftAlone).toHaveLength(1);
  });

  test('stops with the error that a propagation met', async () => {
    const failing = {
      take: async () => ({ ...nothing, unfinished: [{} as never], failure: new Error('Expected it') }),
    };

    await expect(replayed([aUser()], [renamed(noon)], { propagations: failing as never })).rejects.toThrow(
      'Expected it',
    );
  });
});
