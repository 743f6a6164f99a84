import { defineConfig } from 'stream-denormalizer';
import * as z from 'zod';
import { archiveIncidents } from './rules/archive-incidents.ts';
import { archiveOrders } from './rules/archive-orders.ts';
import { archiveProfiles } from './rules/archive-profiles.ts';
import { incidentOnParticipations } from './rules/incident-on-participations.ts';
import { orderDateOnItems } from './rules/order-date-on-items.ts';
import { orderOnUserOrder } from './rules/order-on-user-order.ts';
import { orderStatusKeys } from './rules/order-status-keys.ts';
import { usernameOnMemberships } from './rules/username-on-memberships.ts';
import { table } from './table.ts';

/** The application that the engine's tests run on: nothing here is the rules that the repository ships. */
export default defineConfig({
  table,
  parameters: {
    StatusShards: z
      .int()
      .min(1)
      .max(100)
      .default(1)
      .describe(
        'Number of index partitions for the orders of one status; readers must query each of them. More than 1 adds a suffix to the key',
      ),
    SweepAfterDays: z
      .int()
      .min(1)
      .max(36_500)
      .default(90)
      .describe('Age in days at which finished items are swept'),
  },
  rules: ({ StatusShards }) => [
    incidentOnParticipations,
    usernameOnMemberships,
    orderStatusKeys(StatusShards),
    orderOnUserOrder,
    orderDateOnItems,
  ],
  archives: ({ StatusShards, SweepAfterDays }) => [
    archiveIncidents(SweepAfterDays),
    archiveOrders(StatusShards, SweepAfterDays),
    archiveProfiles,
  ],
});
