import type { ItemKey } from '../../src/model/items/item.ts';
import { demand, found, play, type Stage, type Story, setTheStage, until } from './stage.ts';

const names = ['bear', 'books', 'c3po', 'dino'];
/** Votes for the first and for the second contender of each record. */
const votes = [
  ['bear', 'books', 7, 2],
  ['books', 'c3po', 4, 4],
  ['c3po', 'bear', 1, 4],
  ['dino', 'books', 1, 4],
] as const;
/** Makes every score positive, so that text sorts as numbers do: src/rules/leaderboard-keys.ts. */
const offset = 1_000_000_000_000;

function contenderKey(name: string): ItemKey {
  return { pk: `CONTENDER#${name}`, sk: 'metadata' };
}

function recordKey(one: string, other: string): ItemKey {
  return { pk: `CONTENDER#${one}`, sk: `VS#${other}` };
}

function totals(name: string, Wins: number, Losses: number) {
  const Score = Wins - Losses;
  const GSI2SK = `${String(Score + offset).padStart(13, '0')}#${name}`;
  return { key: contenderKey(name), attributes: { Wins, Losses, Score, GSI2PK: 'LEADERBOARD', GSI2SK } };
}

/** Many vote at once. Wins, losses and score of all contenders follow, and from the score their place on the leaderboard. */
export const votesCount: Story = {
  title: 'Many vote at once: the totals of both contenders follow, and the leaderboard follows the totals',
  async tell(stage) {
    const { application } = stage;
    await setTheStage(stage, [
      ...names.map((name) => ({
        PK: contenderKey(name).pk,
        SK: 'metadata',
        Type: 'Contender',
        Name: name,
        SVG: '<svg/>',
      })),
      ...votes.map(([one, other]) => ({
        PK: recordKey(one, other).pk,
        SK: recordKey(one, other).sk,
        Type: 'HeadToHead',
        Contender1: one,
        Contender2: other,
        Contender1Wins: 0,
        Contender2Wins: 0,
      })),
    ]);
    await play(
      stage,
      [totals('bear', 11, 3), totals('books', 10, 12), totals('c3po', 5, 8), totals('dino', 1, 4)],
      async () => {
        const cast = votes.flatMap(([one, other, wins, losses]) =>
          (['Contender1Wins', 'Contender2Wins'] as const).flatMap((attribute, index) =>
            Array.from({ length: index === 0 ? wins : losses }, () =>
              application.add(recordKey(one, other), attribute, 1),
            ),
          ),
        );
        await Promise.all(cast);
      },
    );
    await demandLeaderboard(stage, ['bear 8', 'books -2', 'dino -3', 'c3po -3']);
    await play(stage, [totals('bear', 4, 1), totals('books', 8, 5)], () =>
      application.delete(recordKey('bear', 'books')),
    );
    await demandLeaderboard(stage, ['books 3', 'bear 3', 'dino -3', 'c3po -3']);
    await application.update(contenderKey('dino'), { Score: 1_000_000 });
    await until(
      async () => (await application.get(contenderKey('dino')))?.['Score'] === -3,
      'a score that somebody overwrites is computed again',
      stage.deadline,
    );
    found('a score that somebody overwrites is computed again');
    await stage.worker.idle();
    await demandLeaderboard(stage, ['books 3', 'bear 3', 'dino -3', 'c3po -3']);
  },
};

async function demandLeaderboard({ application }: Stage, expected: readonly string[]): Promise<void> {
  const listed = await application.newest('GSI2', 'LEADERBOARD');
  const shown = listed.map(({ Name, Score }) => `${Name} ${Score}`);
  demand(
    shown.join() === expected.join(),
    `a query of the leaderboard, best first, finds ${expected.join(', ')}`,
  );
}
