import type { ArchiveRule } from '../domain/registry.ts';
import { incident, incidentData } from './incident-items.ts';
import { order, orderItem, userProfile } from './shop-items.ts';

/** What expires stands in the archive before it does. Copies come back with their roots, and are not archived. */
export const archiveBeforeExpiry: ArchiveRule = {
  name: 'archive-before-expiry',
  kinds: [incident, incidentData, order, orderItem, userProfile],
};
