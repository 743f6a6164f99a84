import { makeRegistry, type Registry } from '../model/registry.ts';
import { table } from '../table.ts';
import { archiveIncidents } from './archive-incidents.ts';
import { archiveOrders } from './archive-orders.ts';
import { archiveProfiles } from './archive-profiles.ts';
import { incidentOnParticipations } from './incident-on-participations.ts';
import { orderDateOnItems } from './order-date-on-items.ts';
import { orderOnUserOrder } from './order-on-user-order.ts';
import { orderStatusKeys } from './order-status-keys.ts';
import { usernameOnMemberships } from './username-on-memberships.ts';

/** The settings of the rules. */
export interface RuleSettings {
  /** Partitions of GSI2 for each order status, 1 or more. */
  readonly statusShards: number;
  /** Days after which a sweep takes a finished item, above 0. Default: 90. */
  readonly agedAfterDays?: number;
  /** Names of rules that are switched off. */
  readonly disabled: readonly string[];
}

/**
 * The registry of all rules of this table.
 * @throws RuleError if a rule is invalid, or if a disabled name is not a rule's
 */
export function loadRules({ statusShards, agedAfterDays = 90, disabled }: RuleSettings): Registry {
  const rules = [
    incidentOnParticipations,
    usernameOnMemberships,
    orderStatusKeys(statusShards),
    orderOnUserOrder,
    orderDateOnItems,
  ];
  const archives = [
    archiveIncidents(agedAfterDays),
    archiveOrders(statusShards, agedAfterDays),
    archiveProfiles,
  ];
  return makeRegistry(table, rules, archives, disabled);
}
