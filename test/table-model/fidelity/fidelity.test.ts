import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedTableServer } from '../../../src/develop/dev/table/embedded-table-server.ts';
import { compareBatch } from './compare.ts';

describe('the model of the table', () => {
  test.each([1, 2, 3, 4, 5])(
    'answers as the embedded server does, a thousand operations from seed %i',
    async (seed) => {
      const server = await startEmbeddedTableServer();
      onTestFinished(() => server.stop());

      const { answers, differences } = await compareBatch(server.endpoint, seed, 1_000);

      expect(differences).toEqual([]);
      expect([...answers.keys()]).toEqual(
        expect.arrayContaining([
          ...['put written', 'put lost', 'put refused', 'change written', 'change lost', 'change refused'],
          ...['delete written', 'delete lost', 'read answered', 'partition answered', 'index answered'],
          ...['statements mixed', 'transaction written', 'transaction root', 'transaction mixed'],
        ]),
      );
    },
  );
});
