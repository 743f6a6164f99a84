import { describe, expect, test } from 'vitest';
import { ModelWorker } from '../../src/develop/testing/table-model/model-worker.ts';
import { item, type Plain } from '../fixtures/model/items.ts';
import { only } from '../fixtures/rules/only.ts';

const account = 'acct_1eSuXwHoigx1WzTqBimRK2mvvEj';
const incidentId = 'inc_1owPwtJ5JZbNMlR4Cccqm3qC7PH';
const team = 'team_1h0QJANrGKFCZHSDO526fs6Jbg8';
const registry = only('incident-on-participations');

const said = {
  ID: incidentId,
  Title: 'Application error rate exceeded 1%',
  Status: 'RESOLVED',
  State: 'CLOSED',
  Number: 859,
  CreatedAt: 1614194921,
  UpdatedAt: 1614194982,
};

describe('incident-on-participations', () => {
  test.each([
    ['without a state', { State: undefined }],
    ['with an empty state', { State: '' }],
    ['with a creation that is no number', { CreatedAt: '1614194921' }],
    ['with a creation beyond all calendars', { CreatedAt: 1e15 }],
  ])('dead-letters an incident %s, which matches when it is repaired', async (_, broken) => {
    const worker = new ModelWorker(registry);
    worker.table.put(aParticipation(team, { Title: 'stale' }));
    worker.table.put(anIncident(broken));
    await worker.rest();
    const deadLettered = worker.queue.deadLettered.length;

    worker.table.put(anIncident());
    await worker.rest();

    expect(deadLettered).toBeGreaterThan(0);
    expect(worker.queue.deadLettered).toHaveLength(deadLettered);
    expect(worker.table.read({ pk: `${account}#${incidentId}#incpart`, sk: team })).toEqual(
      aParticipation(team),
    );
  });
});

type Attributes = Readonly<Record<string, Plain | undefined>>;

function anIncident(attributes: Attributes = {}) {
  return item({ PK: `${account}#inc`, SK: incidentId, ...said, ...attributes });
}

function aParticipation(participant: string, attributes: Attributes = {}) {
  return item({
    PK: `${account}#${incidentId}#incpart`,
    SK: participant,
    GSI1PK: `${account}#${participant}#incpart`,
    GSI1SK: 'CLOSED#2021-02-24T19:28:41Z',
    ParticipantID: participant,
    ...said,
    ...attributes,
  });
}
