import { found, play, type Story, setTheStage } from './stage.ts';

const root = { pk: 'USER#1', sk: '#METADATA' };

function membership(server: string, role: string) {
  return {
    PK: `SERVER#${server}`,
    SK: 'USER#1',
    Type: 'Membership',
    serverId: server,
    userId: '1',
    role,
    username: 'John',
    GSI1PK: 'USER#1',
    GSI1SK: `SERVER#${server}`,
  };
}

/**
 * A user is renamed. Every membership follows, including one that is written with the old name in the
 * meantime.
 */
export const userRenames: Story = {
  title: 'A user renames: every membership follows, including one put with the old name in the meantime',
  async tell(stage) {
    const memberships = ['gaming', 'music', 'typescript'].map((server, index) =>
      membership(server, index === 0 ? 'Admin' : 'Member'),
    );
    await setTheStage(stage, [
      { PK: root.pk, SK: root.sk, Type: 'User', userId: '1', username: 'John', email: 'user1@example.com' },
      ...memberships,
    ]);
    const late = membership('late-joiner', 'Guest');
    const { username: _, ...unchanged } = late;
    await play(
      stage,
      [
        ...memberships.map(({ PK, SK }) => ({
          key: { pk: PK, sk: SK },
          attributes: { username: 'Johanna' },
        })),
        { key: { pk: late.PK, sk: late.SK }, attributes: { ...unchanged, username: 'Johanna' } },
      ],
      async () => {
        await stage.application.update(root, { username: 'Johanna' });
        await stage.application.put(late);
      },
    );
    found('the membership put with the old name has the new one');
  },
};
