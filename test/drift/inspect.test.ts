import { describe, expect, test } from 'vitest';
import { lookAt } from '../../src/drift/inspect.ts';
import type { Item } from '../../src/model/item.ts';
import type { Rule } from '../../src/model/rule.ts';
import { aBooking, aCrewing, aTicket, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import { nameOnCrew, ticketStateKeys, voyageOnBookings } from '../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../fixtures/cruises/cruise-worker.ts';
import { ModelSearch } from './search.ts';

describe('a look at copies', () => {
  test('reads each root once and after the copies', async () => {
    const { looks, search } = await look([aVoyage()], voyageOnBookings, [aBooking('f'), aBooking('g')]);

    expect(looks.map(({ classification }) => classification.is)).toEqual(['right', 'right']);
    expect(search.port.counts).toMatchObject({ getMany: 1, itemsRead: 1 });
  });

  test('reads nothing for items that are their own copies, or that name no root', async () => {
    const itself = await look([], ticketStateKeys, [aTicket(), aTicket({ StateSort: undefined })]);
    const nobodys = await look([], nameOnCrew, [aCrewing('s', { SailorId: undefined })]);

    expect(itself.looks.map(({ classification }) => classification.is)).toEqual(['right', 'drift']);
    expect(nobodys.looks).toMatchObject([{ classification: { drift: { kind: 'invalid' } } }]);
    expect(itself.search.port.counts.requests() + nobodys.search.port.counts.requests()).toBe(0);
  });
});

describe('the digests of a look', () => {
  test('are empty for a copy that is right', async () => {
    expect((await look([aVoyage()], voyageOnBookings, [aBooking('g')])).looks).toMatchObject([
      { copy: keyIn(aBooking('g')), seen: { copy: '', root: '' } },
    ]);
  });

  test('are equal if copy and root are unchanged', async () => {
    const wrong = aBooking('g', { State: 'odd' });
    const [first, again, other, grown] = await Promise.all([
      seen([aVoyage()], wrong),
      seen([aVoyage()], wrong),
      seen([aVoyage({ Captain: 'Nemo' })], wrong),
      seen([aVoyage()], aBooking('g', { State: 'odd', Cabin: 'x' })),
    ]);

    expect(again).toEqual(first);
    expect(other?.copy).toBe(first?.copy);
    expect(other?.root).not.toBe(first?.root);
    expect(grown?.copy).not.toBe(first?.copy);
    expect(grown?.root).toBe(first?.root);
    expect(first?.root).toMatch(/^[\w-]{16}$/);
  });

  test('say that an orphan has no root, and that an item which is its own copy is its root', async () => {
    const orphan = await look([], voyageOnBookings, [aBooking('g')]);
    const itself = await look([], ticketStateKeys, [aTicket({ StateSort: undefined })]);

    expect(orphan.looks).toMatchObject([
      { classification: { drift: { kind: 'orphan' } }, seen: { root: 'none' } },
    ]);
    expect(itself.looks).toMatchObject([{ seen: { root: 'itself' } }]);
  });
});

/** A look at copies by a rule, over a table that holds these roots. */
async function look(roots: readonly Item[], rule: Rule, copies: readonly Item[]) {
  const search = new ModelSearch(roots);
  const context = { registry: search.registry, table: search.port, orphans: 'all' } as const;
  return {
    search,
    looks: await lookAt(
      context,
      copies.map((copy) => ({ rule, copy })),
    ),
  };
}

async function seen(roots: readonly Item[], copy: Item) {
  const [found] = (await look(roots, voyageOnBookings, [copy])).looks;
  return found?.seen;
}
