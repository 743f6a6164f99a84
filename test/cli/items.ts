// Roots, each with a copy that has not followed it yet.

export const user = {
  ...{
    PK: 'USER#1',
    SK: '#METADATA',
    Type: 'User',
    userId: '1',
    username: 'Johanna',
    email: 'j@example.com',
  },
};

export const membership = {
  ...{ PK: 'SERVER#1', SK: 'USER#1', Type: 'Membership', serverId: '1', userId: '1', role: 'Member' },
  ...{ username: 'John', GSI1PK: 'USER#1', GSI1SK: 'SERVER#1' },
};

export const membershipKey = { pk: 'SERVER#1', sk: 'USER#1' };

export const incident = {
  ...{ PK: 'acct_1#inc', SK: 'inc_1', Title: 'a secret', State: 'CLOSED', Status: 'RESOLVED' },
  ...{ CreatedAt: 1614194921, Number: 859 },
};

export const participation = {
  ...{ PK: 'acct_1#inc_1#incpart', SK: 'user_1', ParticipantID: 'user_1', GSI1PK: 'acct_1#user_1#incpart' },
  ...{ Title: 'old', GSI1SK: 'OPEN#2021-02-24T19:28:41Z' },
};

export const participationKey = { pk: participation.PK, sk: participation.SK };
