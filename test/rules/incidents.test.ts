import { describeRule } from 'stream-denormalizer/testing';
import config from '../../denorm.config.ts';
import { GSI1, GSI2, table } from '../../src/table.ts';

const { pk, sk, ttl } = table;

const attributes = {
  ...{ ID: 'inc_1', CreatedAt: 1614194921, UpdatedAt: 1614194921, Number: 859 },
  ...{ Title: 'Application error rate exceeded 1%', Status: 'TRIGGERED', State: 'OPEN' },
};
const incident = { [pk]: 'acct_1#inc', [sk]: 'inc_1', ...attributes };
const participation = {
  ...{ [pk]: 'acct_1#inc_1#incpart', [sk]: 'user_1', ...attributes, ParticipantID: 'user_1' },
  ...{ [GSI1.pk]: 'acct_1#user_1#incpart', [GSI1.sk]: 'OPEN#2021-02-24T19:28:41Z' },
};

describeRule(config, 'incident-on-participations', {
  root: incident,
  copies: [participation],
  change: { Title: undefined, State: 'CLOSED', Severity: 'high' },
  expected: {
    ...{ Title: undefined, State: 'CLOSED', Severity: 'high' },
    [GSI1.sk]: 'CLOSED#2021-02-24T19:28:41Z',
  },
  unconcerned: { [ttl]: 1, [GSI2.pk]: 'x', [GSI2.sk]: 'y', ParticipantID: 'z' },
  others: [
    { ...participation, [pk]: 'acct_1#inc_2#incpart' },
    { ...participation, [pk]: 'acct_2#inc_1#incpart' },
    { [pk]: 'acct_1#inc_1', [sk]: 'data', IncidentID: 'inc_1', Details: '{}' },
  ],
  invalid: { State: undefined },
  onDelete: 'delete',
  onExpire: 'delete',
});
