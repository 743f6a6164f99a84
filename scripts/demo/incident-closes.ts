import { demand, play, type Story, setTheStage } from './stage.ts';

const account = 'acct_1eSuXwHoigx1WzTqBimRK2mvvEj';
const incident = 'inc_1owPwtJ5JZbNMlR4Cccqm3qC7PH';
const participants = [
  'team_1h0QJANrGKFC',
  'team_2k8RTBWmHJDE',
  'team_3p5XVCQnLKFG',
  'user_4m7YZDSpNMGH',
  'user_5q9ZAETrPQHJ',
];

const partition = `${account}#${incident}#incpart`;
const root = { pk: `${account}#inc`, sk: incident };
const open = {
  ID: incident,
  CreatedAt: 1614194921,
  UpdatedAt: 1614194921,
  Title: 'Application error rate exceeded 1%',
  Status: 'TRIGGERED',
  State: 'OPEN',
  Number: 859,
  Escalation: 'second level',
};

/** An incident closes and loses an attribute. Its participations follow. */
export const incidentCloses: Story = {
  title: 'An incident closes and loses an attribute: its participations follow',
  async tell(stage) {
    await setTheStage(stage, [
      { PK: root.pk, SK: root.sk, ...open },
      ...participants.map((id) => ({
        PK: partition,
        SK: id,
        ...open,
        ParticipantID: id,
        GSI1PK: `${account}#${id}#incpart`,
        GSI1SK: 'OPEN#2021-02-24T19:28:41Z',
      })),
    ]);
    const closed = { State: 'CLOSED', Status: 'RESOLVED', UpdatedAt: 1614194982 };
    await play(
      stage,
      participants.map((id) => ({
        key: { pk: partition, sk: id },
        attributes: { ...closed, Escalation: undefined, GSI1SK: 'CLOSED#2021-02-24T19:28:41Z' },
      })),
      () => stage.application.update(root, closed, ['Escalation']),
    );
    const closedOnes = await stage.application.newest('GSI1', `${account}#user_4m7YZDSpNMGH#incpart`);
    demand(
      closedOnes.every(({ GSI1SK }) => String(GSI1SK).startsWith('CLOSED#')) && closedOnes.length === 1,
      'a query for closed incidents of a participant finds it',
    );
  },
};
