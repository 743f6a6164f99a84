import { defineConfig } from 'stream-denormalizer';
import * as z from 'zod/mini';
import { archiveIncidents } from './src/rules/archive-incidents.ts';
import { archiveOrders } from './src/rules/archive-orders.ts';
import { archiveProfiles } from './src/rules/archive-profiles.ts';
import { contenderTotals } from './src/rules/contender-totals.ts';
import { incidentOnParticipations } from './src/rules/incident-on-participations.ts';
import { leaderboardKeys } from './src/rules/leaderboard-keys.ts';
import { orderDateOnItems } from './src/rules/order-date-on-items.ts';
import { orderOnUserOrder } from './src/rules/order-on-user-order.ts';
import { orderStatusKeys } from './src/rules/order-status-keys.ts';
import { usernameOnMemberships } from './src/rules/username-on-memberships.ts';
import { table } from './src/table.ts';

/** The four applications of this repository: incidents, a chat, a shop and votes. */
export default defineConfig({
  table,
  parameters: {
    StatusShards: z
      ._default(z.int().check(z.gte(1), z.lte(100)), 1)
      .check(
        z.describe(
          'Number of index partitions for the orders of one status; readers must query each of them. More than 1 adds a suffix to the key',
        ),
      ),
    SweepAfterDays: z
      ._default(z.int().check(z.gte(1), z.lte(36_500)), 90)
      .check(z.describe('Age in days at which finished items are swept')),
  },
  rules: ({ StatusShards }) => [
    incidentOnParticipations,
    usernameOnMemberships,
    orderStatusKeys(StatusShards),
    orderOnUserOrder,
    orderDateOnItems,
    leaderboardKeys,
  ],
  aggregates: [contenderTotals],
  archives: ({ StatusShards, SweepAfterDays }) => [
    archiveIncidents(SweepAfterDays),
    archiveOrders(StatusShards, SweepAfterDays),
    archiveProfiles,
  ],
});
