import type { Random } from '../../src/develop/testing/simulation/random.ts';
import type { Item } from '../../src/model/item.ts';
import { restoredKeyOf, restoredMark } from '../../src/worker/archive/restored-mark.ts';
import { aLegOf, aLogbook, aPastVoyage, aUsedTicket } from '../fixtures/cruises/cruise-aging.ts';
import { aBooking, aGuestTicket } from '../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../fixtures/cruises/cruise-worker.ts';

/** An item, and what a sweep is to do with it. */
export interface Sourced {
  readonly item: Item;
  readonly source: 'swept' | 'left';
  /** Its kind, where it is one that is archived. */
  readonly kind: string;
}

export interface Fleet {
  readonly items: readonly Sourced[];
  /** Notes of what was restored lately. */
  readonly marks: ReadonlyMap<string, string>;
}

/** Why a group is left alone, or that it is swept. */
type Case = 'aged' | 'in use' | 'young' | 'restored' | 'odd';

/**
 * About so many items: half of the groups have aged; the others are in use, too young, restored a day ago, or do not say
 * what they should. Copies stand between them.
 * @param now in epoch milliseconds
 */
export function fleetOf(size: number, random: Random, now: number): Fleet {
  const items: Sourced[] = [];
  const marks = new Map<string, string>();
  for (let id = 0; items.length < size; id += 1) {
    const which = random.weighted<Case>([
      [5, 'aged'],
      [2, 'in use'],
      [2, 'young'],
      [0.5, 'restored'],
      [0.5, 'odd'],
    ]);
    const source = which === 'aged' ? 'swept' : 'left';
    const group = random.chance(0.5)
      ? ticket(`${id}`, which ?? 'aged', random)
      : voyage(`${id}`, which ?? 'aged');
    items.push(...group.map((one) => ({ source, ...one }) as const));
    const [root] = group;
    if (which === 'restored' && root !== undefined)
      marks.set(restoredKeyOf(root.kind, keyIn(root.item)), restoredMark(now - 86_400_000));
    if (random.chance(0.1))
      items.push({ item: aGuestTicket({ Sort: `TICKET#${id}` }), source: 'left', kind: '' });
    if (random.chance(0.1)) items.push({ item: aBooking(`guest ${id}`), source: 'left', kind: '' });
  }
  return { items, marks };
}

function ticket(id: string, which: Case, random: Random): { item: Item; kind: string }[] {
  const attributes = {
    aged: {},
    restored: {},
    'in use': { Status: 'PAID', StatePart: 'STATUS#PAID' },
    young: { SoldAt: '2025-12-20' },
    odd: { SoldAt: 'a while ago', StateSort: 'TICKET#2025' },
  } as const;
  const legs = Array.from({ length: random.int(0, 4) }, (_, number) => ({
    item: aLegOf(id, number),
    kind: 'Leg',
  }));
  return [{ item: aUsedTicket(id, attributes[which]), kind: 'Ticket' }, ...legs];
}

function voyage(id: string, which: Case): { item: Item; kind: string }[] {
  const attributes = {
    aged: {},
    restored: {},
    'in use': { State: 'OPEN' },
    young: { DepartsAt: Date.UTC(2025, 11, 20) / 1000 },
    odd: { DepartsAt: 'a while ago' },
  } as const;
  return [
    { item: aPastVoyage(id, { ...attributes[which], Part: `line_${id}#voyages` }), kind: 'Voyage' },
    { item: aLogbook(id, { Part: `line_${id}#voyage_${id}` }), kind: 'Logbook' },
  ];
}
