import type { ModelTable } from '../../src/develop/testing/table-model/model-table.ts';
import { sameValue } from '../../src/develop/testing/table-model/same-value.ts';
import { type Item, type ItemKey, keyOf, keyText, text } from '../../src/model/item.ts';

/**
 * The copies of the cruise rules that are not what their root says, told by each rule written out by hand: an answer that
 * owes nothing to the engine.
 */
export function drifting(table: ModelTable): string[] {
  return table.items().flatMap((item) => {
    const key = keyOf(table.names, item);
    if (key === undefined) return [];
    return wanted(table, key, item)
      .filter(([name, value]) => !sameValue(own(item, name), value))
      .map(([name]) => `${keyText(key)} ${name}`);
  });
}

type Wanted = readonly (readonly [string, Item[string] | undefined])[];

function wanted(table: ModelTable, key: ItemKey, item: Item): Wanted {
  const kind = text(item.Kind);
  if (key.pk === 'line_1#voyage_a#bookings')
    return ofBooking(table.read({ pk: 'line_1#voyages', sk: 'voyage_a' }), item);
  if (key.pk === 'line_1#voyages') return copied(table.read({ pk: 'line_1#fleet', sk: 'fleet' }), ['Brand']);
  if (kind === 'Crewing') return ofCrewing(table, item);
  if (kind === 'GuestTicket') return ofGuestTicket(table, key, item);
  if (kind === 'Ticket') return ofTicket(item);
  if (kind === 'Leg') return ofLeg(table.read({ pk: key.pk, sk: 'TICKET' }), item);
  return [];
}

function ofBooking(voyage: Item | undefined, booking: Item): Wanted {
  if (voyage === undefined) return [];
  const own = new Set([
    'Part',
    'Sort',
    'EndsAt',
    'Cabin',
    'OwnerPart',
    'OwnerSort',
    'StatePart',
    'StateSort',
  ]);
  const names = new Set([...Object.keys(voyage), ...Object.keys(booking)].filter((name) => !own.has(name)));
  const state = text(voyage.State) ?? '';
  return [...copied(voyage, [...names]), ['OwnerSort', { S: `${state}#100` }]];
}

function ofCrewing(table: ModelTable, crewing: Item): Wanted {
  const id = text(crewing.SailorId) ?? '';
  const stands = text(crewing.OwnerPart) === `SAILOR#${id}` && text(crewing.OwnerSort)?.startsWith('SHIP#');
  return stands === true ? copied(table.read({ pk: `SAILOR#${id}`, sk: 'SAILOR' }), ['Name']) : [];
}

function ofGuestTicket(table: ModelTable, key: ItemKey, copy: Item): Wanted {
  const ticket = table.read({ pk: `TICKET#${text(copy.TicketId) ?? ''}`, sk: 'TICKET' });
  const there =
    ticket && `GUEST#${text(ticket.GuestId)}` === key.pk && `TICKET#${text(ticket.SoldAt)}` === key.sk;
  return there === true ? copied(ticket, ['Status', 'Price']) : [];
}

function ofTicket(ticket: Item): Wanted {
  return [
    ['StatePart', { S: `STATUS#${text(ticket.Status)}` }],
    ['StateSort', { S: `TICKET#${text(ticket.SoldAt)}` }],
  ];
}

function ofLeg(ticket: Item | undefined, leg: Item): Wanted {
  if (ticket === undefined) return [];
  return [
    ['OwnerPart', { S: `PORT#${text(leg.PortId)}` }],
    ['OwnerSort', { S: `CALL#${text(ticket.SoldAt)}` }],
  ];
}

function copied(root: Item | undefined, names: readonly string[]): Wanted {
  return root === undefined ? [] : names.map((name) => [name, own(root, name)]);
}

function own(item: Item, name: string) {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}
