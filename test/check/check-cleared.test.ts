import { defineAggregate, defineConfig, defineKind, defineRule, value } from 'stream-denormalizer';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { checkProject } from '../../src/check/check-project.ts';
import { table } from '../../src/table.ts';

const guest = defineKind({
  name: 'Guest',
  pk: 'GUEST#{guest}',
  sk: 'GUEST',
  attributes: z.object({ Name: z.string() }),
});

const hotel = defineKind({
  name: 'Hotel',
  pk: 'HOTEL#{hotel}',
  sk: 'HOTEL',
  attributes: z.object({ LastGuest: z.string().optional() }),
});

interface Project {
  readonly onDelete?: 'clear' | 'delete' | 'keep';
  readonly onUnlink?: 'clear' | 'keep';
  readonly isOptional?: true;
  readonly reads?: 'GuestName' | 'Note';
}

/** What is found if a guest's name on bookings is read by the newest booking of a hotel. */
function found({ onDelete = 'keep', onUnlink = 'keep', isOptional, reads = 'GuestName' }: Project) {
  const GuestName: z.ZodType<string | undefined> = isOptional ? z.string().optional() : z.string();
  const booking = defineKind({
    name: 'Booking',
    pk: 'HOTEL#{hotel}',
    sk: 'BOOKING#{booking}',
    attributes: z.object({ GuestId: z.string(), GuestName, Note: z.string() }),
  });
  const named = defineRule({
    name: 'guest-name-on-bookings',
    root: guest,
    copy: booking,
    reads: { copy: ['GuestId'] },
    located: {
      in: 'index',
      index: table.indexes.GSI1,
      at: ({ ids }) => ({ pk: `GUEST#${ids.guest}` }),
    },
    rootOf: ({ GuestId }) => guest.key({ guest: GuestId }),
    copies: { Name: 'GuestName' },
    ...{ onDelete, onExpire: 'keep', onUnlink },
  });
  const newest = defineAggregate({
    name: 'newest-booking',
    of: booking,
    on: hotel,
    members: {
      in: 'partition',
      at: ({ ids }) => ({ pk: `HOTEL#${ids.hotel}`, begins: 'BOOKING#' }),
      last: 1,
    },
    targetsOf: ({ ids }) => [hotel.key({ hotel: ids.hotel })],
    computes: { LastGuest: value(reads) },
  });
  return checkProject(defineConfig({ table, rules: [named], aggregates: [newest] })).map(
    ({ message }) => message,
  );
}

test.each<[string, Project]>([
  ['onDelete', { onDelete: 'clear' }],
  ['onUnlink', { onUnlink: 'clear' }],
  ['onDelete and onUnlink', { onDelete: 'clear', onUnlink: 'clear' }],
])('%s that removes what a schema requires and an aggregate reads is found', (policies, project) => {
  expect(found(project)).toEqual([
    `Expected 'GuestName' of Booking, which rule guest-name-on-bookings clears by ${policies}, to be optional in its schema, which otherwise refuses the item to newest-booking: make it optional there, or set ${policies} to 'delete' or 'keep'`,
  ]);
});

test.each<[string, Project]>([
  ['removes nothing', { onDelete: 'keep' }],
  ['removes the whole copy', { onDelete: 'delete' }],
  ['removes what is optional', { onDelete: 'clear', isOptional: true }],
  ['removes what nothing reads', { onDelete: 'clear', reads: 'Note' }],
])('nothing is found in a policy that %s', (_, project) => {
  expect(found(project)).toEqual([]);
});
