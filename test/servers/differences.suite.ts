import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalServer } from '../../src/dev/local-server.ts';
import { type ComparedServer, differences, type OpenedServer, openServer } from './differences.ts';

/** Each row of the table in docs/testing.md holds for this server. */
export function differencesSuite(
  name: ComparedServer,
  start: () => Promise<Pick<LocalServer, 'endpoint' | 'stop'>>,
): void {
  describe(`${name} and DynamoDB`, () => {
    let server: Awaited<ReturnType<typeof start>>;
    let opened: OpenedServer;
    beforeAll(async () => {
      server = await start();
      opened = openServer(server.endpoint);
    });
    afterAll(async () => {
      opened?.close();
      await server?.stop();
    });

    test.each(differences)('$what', async ({ see, seen }) => {
      expect(await see(opened)).toEqual(name in seen ? seen[name] : seen.DynamoDB);
    });
  });
}
