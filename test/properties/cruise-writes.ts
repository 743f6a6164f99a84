import fc from 'fast-check';
import type { ModelWorker } from '../../src/develop/testing/table-model/model-worker.ts';
import type { Item } from '../../src/model/item.ts';
import {
  aBooking,
  aCrewing,
  aFleet,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../fixtures/cruises/cruise-worker.ts';

/** A write of an application, or an expiry. */
export type CruiseWrite =
  | { readonly is: 'put'; readonly item: Item }
  | { readonly is: 'set'; readonly item: Item; readonly name: string; readonly to: string | undefined }
  | { readonly is: 'delete'; readonly item: Item; readonly expires: boolean };

/** An item, and what applications write of it: few keys and few values, so that writes meet. */
interface Subject {
  readonly item: Item;
  readonly values: Readonly<Record<string, readonly (string | undefined)[]>>;
}

const words = ['x', 'y', 'z'];
const locations = ['42', '43'].flatMap((guest) =>
  ['2026-01-15', '2026-02-01'].map((sold) => ({ guest, sold })),
);

const subjects: readonly Subject[] = [
  { item: aVoyage(), values: { State: words, Captain: [...words, undefined], Wind: [...words, undefined] } },
  ...['a', 'b'].map((guest) => ({
    item: aBooking(guest),
    values: {
      State: words,
      Captain: [...words, undefined],
      Stray: [...words, undefined],
      Cabin: words,
      OwnerSort: words,
    },
  })),
  { item: aFleet({ Brand: 'x' }), values: { Brand: words } },
  { item: aSailor(), values: { Name: words, Rank: words } },
  ...['a', 'b'].map((ship) => ({
    item: aCrewing(ship),
    values: { Name: words, SailorId: ['1', '2'], OwnerPart: ['SAILOR#1', 'SAILOR#2'] },
  })),
  ...['t', 'u'].map((id) => ({
    item: aTicket({ Part: `TICKET#${id}` }),
    values: {
      GuestId: ['42', '43'],
      SoldAt: ['2026-01-15', '2026-02-01'],
      Status: words,
      StatePart: [...words, undefined],
    },
  })),
  ...locations.map(({ guest, sold }) => ({
    item: aGuestTicket({ Part: `GUEST#${guest}`, Sort: `TICKET#${sold}` }),
    values: { Status: words, TicketId: ['t', 'u'] },
  })),
  { item: aLeg(), values: { PortId: words, OwnerSort: [...words, undefined] } },
];

/** What stands in the table before the first write, up to date. */
export const cruiseItems: readonly Item[] = [
  aFleet({ Brand: 'x' }),
  aVoyage({ Brand: 'x' }),
  aBooking('a', { Brand: 'x' }),
  aBooking('b', { Brand: 'x' }),
  aSailor(),
  aCrewing('a'),
  aCrewing('b'),
  aTicket(),
  aGuestTicket(),
  aLeg(),
];

const change = fc.constantFrom(...subjects).chain(({ item, values }) =>
  fc.record({
    item: fc.constant(item),
    name: fc.constantFrom(...Object.keys(values)),
    pick: fc.nat(),
    values: fc.constant(values),
  }),
);

const setting = change.map(({ item, name, pick, values }): CruiseWrite => {
  const choice = values[name] ?? [];
  return { is: 'set', item, name, to: choice[pick % choice.length] };
});

const putting = change.map(({ item, name, pick, values }): CruiseWrite => {
  const choice = values[name] ?? [];
  const to = choice[pick % choice.length];
  const without = Object.fromEntries(Object.entries(item).filter(([other]) => other !== name));
  return { is: 'put', item: to === undefined ? without : { ...without, [name]: { S: to } } };
});

const deleting = fc.record({
  is: fc.constant('delete' as const),
  item: fc.constantFrom(...subjects.map(({ item }) => item)),
  expires: fc.boolean(),
});

/** Writes, of which each may be followed by the worker at once (`rested`) or after others. */
export const cruiseWrites = fc.array(
  fc.record({
    write: fc.oneof(
      { weight: 6, arbitrary: setting },
      { weight: 3, arbitrary: putting },
      { weight: 1, arbitrary: deleting },
    ),
    rested: fc.boolean(),
  }),
  { minLength: 5, maxLength: 25, size: 'max' },
);

export function perform({ table }: ModelWorker, write: CruiseWrite): void {
  const key = keyIn(write.item);
  if (write.is === 'put') table.put(write.item);
  else if (write.is === 'delete') {
    if (write.expires) table.expire(key);
    else table.delete(key);
  } else if (write.to !== undefined) table.update(key, { set: { [write.name]: { S: write.to } } }, 'exists');
  else table.update(key, { remove: [write.name] }, 'exists');
}
