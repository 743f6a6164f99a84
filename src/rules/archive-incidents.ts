import { type ArchiveRule, aging, defineArchive } from 'stream-denormalizer';
import { incident, incidentData } from './incident-items.ts';

/** A sweep archives closed incidents and their data when they are old enough. Participations are deleted with them. */
export function archiveIncidents(days: number): ArchiveRule {
  return defineArchive({
    name: 'archive-incidents',
    kinds: [incident, incidentData],
    onDelete: 'keep',
    ages: aging(incident, {
      reads: ['State', 'CreatedAt'],
      when: ({ State }) => State === 'CLOSED',
      since: ({ CreatedAt }) => CreatedAt * 1000,
      days,
      found: { in: 'scan' },
      with: [{ kind: incidentData, at: ({ ids }) => ({ in: 'key', ...incidentData.key(ids) }) }],
    }),
  });
}
