import { type ArchiveRule, aging, defineArchiveRule } from '../model/archive-rule.ts';
import { incident, incidentData } from './incident-items.ts';

/** A sweep archives closed incidents and their data when they are old enough. Participations are deleted with them. */
export function archiveIncidents(days: number): ArchiveRule {
  return defineArchiveRule({
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
