import fc from 'fast-check';
import type { Item } from '../../src/domain/item.ts';
import {
  aBooking,
  aCrewing,
  aFleet,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../execution/fixtures/cruise-items.ts';
import { keyIn } from '../execution/fixtures/cruise-worker.ts';
import type { ModelWorker } from '../model/model-worker.ts';

/** A write of an application, or an expiry. */
export type CruiseWrite =
  | { readonly is: 'put'; readonly item: Item }
  | { readonly is: 'set'; readonly item: Item; readonly name: string; readonly to: string | undefined }
  | { readonly is: 'delete'; readonly item: Item; readonly expires: boolean };

const word = fc.constantFrom('a', 'b', 'c');

/** Few keys and few values, so that writes meet. */
const someItem: fc.Arbitrary<Item> = fc.oneof(
  fc
    .record({
      State: word,
      Captain: fc.option(word, { nil: undefined }),
      Wind: fc.option(word, { nil: undefined }),
    })
    .map(aVoyage),
  fc
    .tuple(word, fc.record({ State: word, Stray: fc.option(word, { nil: undefined }) }))
    .map(([guest, said]) => aBooking(guest, said)),
  fc.record({ Brand: word }).map(aFleet),
  fc.record({ Name: word, Rank: word }).map(aSailor),
  fc
    .tuple(word, fc.record({ Name: word, SailorId: fc.constantFrom('1', '1', '2') }))
    .map(([ship, said]) => aCrewing(ship, said)),
  fc
    .record({ GuestId: word, SoldAt: word, Status: word, StatePart: fc.option(word, { nil: undefined }) })
    .map(aTicket),
  fc
    .tuple(word, word, word, fc.constantFrom('t', 't', 'u'))
    .map(([guest, sold, Status, TicketId]) =>
      aGuestTicket({ Part: `GUEST#${guest}`, Sort: `TICKET#${sold}`, Status, TicketId }),
    ),
  fc.record({ PortId: word, OwnerSort: fc.option(word, { nil: undefined }) }).map(aLeg),
);

const someWrite: fc.Arbitrary<CruiseWrite> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ is: fc.constant('put' as const), item: someItem }) },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('set' as const),
      item: someItem,
      name: fc.constantFrom(
        'State',
        'Captain',
        'Brand',
        'Name',
        'Status',
        'StatePart',
        'OwnerSort',
        'TicketId',
        'Cabin',
      ),
      to: fc.option(word, { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('delete' as const), item: someItem, expires: fc.boolean() }),
  },
);

export const cruiseWrites = fc.array(someWrite, { minLength: 1, maxLength: 25 });

/** Needed for a root to be projected, or for a copy: a test of its own removes these. */
const needed = new Set(['State', 'Status', 'PortId']);

export function perform({ table }: ModelWorker, write: CruiseWrite): void {
  const key = keyIn(write.item);
  if (write.is === 'put') table.put(write.item);
  else if (write.is === 'delete') {
    if (write.expires) table.expire(key);
    else table.delete(key);
  } else if (write.to !== undefined) table.update(key, { set: { [write.name]: { S: write.to } } }, 'exists');
  else if (!needed.has(write.name)) table.update(key, { remove: [write.name] }, 'exists');
}
