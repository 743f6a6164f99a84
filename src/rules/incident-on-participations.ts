import { defineRule } from 'stream-denormalizer';
import { GSI1 } from '../table.ts';
import { incident, participation } from './incident-items.ts';

/** Copies all attributes of an incident to its participations, and sorts them by state and time. */
export const incidentOnParticipations = defineRule({
  name: 'incident-on-participations',
  root: incident,
  copy: participation,
  reads: { root: ['State', 'CreatedAt'] },
  located: { in: 'partition', at: ({ ids }) => ({ pk: participation.pk(ids) }) },
  rootOf: ({ ids }) => incident.key(ids),
  copies: 'all',
  own: ['ParticipantID'],
  unknown: 'remove',
  derive: {
    [GSI1.sk]: ({ root }) => `${root.State}#${inSeconds(root.CreatedAt)}`,
  },
  tenant: 'account',
  onDelete: 'delete',
  onExpire: 'delete',
});

/** Epoch seconds as ISO 8601 in UTC, to the second. */
function inSeconds(epoch: number): string {
  return new Date(epoch * 1000).toISOString().replace(/\.\d+/, '');
}
