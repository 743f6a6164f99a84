import { describe, expect, test } from 'vitest';
import type { Aging } from '../../../../src/model/rules/archive-rule.ts';
import { makeRegistry } from '../../../../src/model/rules/registry.ts';
import { sweep } from '../../../../src/worker/archive/sweep/sweep.ts';
import type { SweepContext } from '../../../../src/worker/archive/sweep/sweep-context.ts';
import {
  aLegOf,
  aLogbook,
  aPastVoyage,
  aUsedTicket,
  ticketsAge,
} from '../../../fixtures/cruises/cruise-aging.ts';
import { CruiseSweep, expiryOf, inAWeek, killedAt } from '../../../fixtures/cruises/cruise-sweep.ts';
import { ByOwner, ByState, table } from '../../../fixtures/model/table.ts';
import { agingRule } from '../../../fixtures/rules/aging-rule.ts';

describe('a sweep that was killed', () => {
  test.each(['head', 'put', 'update', 'write'] as const)(
    'at any %s is completed by the next one, and nothing is written twice',
    async (at) => {
      const items = [aUsedTicket(), aLegOf(), aLegOf('t', 2), aPastVoyage(), aLogbook()];
      for (let nth = 1; ; nth += 1) {
        const cruise = new CruiseSweep(items);
        const writes: string[] = [];
        cruise.table.watcher = ({ key }) => writes.push(key.pk + key.sk);
        const killed = await killedAt(cruise, at, nth);
        await cruise.run();

        for (const one of items) expect(expiryOf(cruise, one)).toEqual(inAWeek);
        expect(writes.toSorted()).toEqual([...new Set(writes)].toSorted());
        for (const key of cruise.archive.keys()) expect(cruise.archive.versions(key)).toHaveLength(1);
        if (!killed) break;
        expect(nth).toBeLessThan(30);
      }
    },
  );
});

describe('a sweep that is asked to stop', () => {
  test('continues from there in its next run, and starts over after its end', async () => {
    const cruise = new CruiseSweep(tickets(450));
    for (const looked of [200, 200, 50])
      expect(await cruise.stoppedAfter(2, { rules: ['archive-tickets'] })).toMatchObject([{ looked }]);

    // Five pages with entries, and one page of the partition without any.
    expect(cruise.port.counts.queryIndex).toBe(6);
    expect(cruise.table.items().every(({ EndsAt }) => EndsAt !== undefined)).toBe(true);
    expect(await cruise.sweepTickets()).toMatchObject({ looked: 450, finished: true });
  });

  test('reads nothing more, and does not continue past its current page', async () => {
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf()]);
    let gets = 0;
    cruise.port.before = ({ kind }) => {
      if (kind === 'get') gets += 1;
    };
    cruise.stop = () => gets >= 1;

    const report = await cruise.sweepTickets();

    expect(report).toMatchObject({ finished: false, looked: 0 });
    expect(gets).toBeLessThan(4);
    cruise.stop = () => false;
    await cruise.run();
    expect(expiryOf(cruise, aLegOf())).toEqual(inAWeek);
  });

  test('starts over for another table', async () => {
    const cruise = new CruiseSweep(tickets(160));
    await cruise.stoppedAfter(1, { rules: ['archive-tickets'] });

    expect(await cruise.sweepTickets({ tableName: 'another' })).toMatchObject({ looked: 160 });
  });

  const byOwner = { ...foundAt('STATUS#USED', 'STATUS#VOID'), index: ByOwner };

  test.each<[string, Partial<Aging>, number]>([
    ['starts over if its rule has other days', { days: 31 }, 160],
    ['starts over if its rule has other partitions', { found: foundAt('STATUS#USED') }, 160],
    ['starts over if it has as many others', { found: foundAt('STATUS#USED', 'STATUS#LOST') }, 160],
    ['starts over if its rule has another index', { found: byOwner }, 160],
    ['starts over with a scan if its rule was searched by an index', { found: { in: 'scan' } }, 160],
    ['continues if it has them in another order', { found: foundAt('STATUS#VOID', 'STATUS#USED') }, 60],
  ])('%s by now', async (_, other, looked) => {
    const cruise = new CruiseSweep(
      tickets(160, (index) => ({ OwnerPart: 'STATUS#USED', OwnerSort: `${index}` })),
    );
    await cruise.stoppedAfter(1, { rules: ['archive-tickets'] });

    const reports = await sweep(withRule(cruise, other), { tableName: 'cruises' });

    expect(reports).toMatchObject([{ looked, finished: true }]);
    expect(cruise.table.items().every(({ EndsAt }) => EndsAt !== undefined)).toBe(true);
  });

  test('starts over if its saved position cannot be read', async () => {
    const cruise = new CruiseSweep([aUsedTicket()]);
    cruise.notes.texts.set('state/sweep-archive-tickets.json', 'damaged');

    await cruise.run();

    expect(expiryOf(cruise, aUsedTicket())).toEqual(inAWeek);
  });
});

function tickets(
  count: number,
  attributes: (index: number) => Parameters<typeof aUsedTicket>[1] = () => ({}),
) {
  return Array.from({ length: count }, (_, index) => aUsedTicket(`t${index}`, attributes(index)));
}

function foundAt(...pks: string[]) {
  return { in: 'index', index: ByState, pks, until: () => '~' } as const;
}

/** The parts of a sweep whose rule for tickets has changed in the meantime. */
function withRule(cruise: CruiseSweep, other: Partial<Aging>): SweepContext {
  const rule = agingRule(ticketsAge);
  const registry = makeRegistry(table, [], [{ ...rule, ages: { ...rule.ages, ...other } }]);
  return { ...cruise.context(), registry };
}
