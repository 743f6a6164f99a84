import { makeRegistry, type Registry } from '../domain/registry.ts';
import { table } from '../table.ts';
import { archiveBeforeExpiry } from './archive-before-expiry.ts';
import { incidentOnParticipations } from './incident-on-participations.ts';
import { orderDateOnItems } from './order-date-on-items.ts';
import { orderOnUserOrder } from './order-on-user-order.ts';
import { orderStatusKeys } from './order-status-keys.ts';
import { usernameOnMemberships } from './username-on-memberships.ts';

/** What can be set about the rules without changing one. */
export interface RuleSettings {
  /** Partitions of GSI2 for each order status, 1 or more. */
  readonly statusShards: number;
  /** Names of rules that are switched off. */
  readonly disabled: readonly string[];
}

/**
 * The registry of this table's rules: the one place that lists them all.
 * @throws RuleError where a rule must not run, or a disabled name is no rule's
 */
export function loadRules({ statusShards, disabled }: RuleSettings): Registry {
  const rules = [
    incidentOnParticipations,
    usernameOnMemberships,
    orderStatusKeys(statusShards),
    orderOnUserOrder,
    orderDateOnItems,
  ];
  return makeRegistry(table, rules, archiveBeforeExpiry, disabled);
}
