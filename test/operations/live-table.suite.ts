import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DevEnvironment, openDevEnvironment } from '../../src/dev/dev-environment.ts';
import type { LocalServer } from '../../src/dev/local-server.ts';
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { settings } from '../fixtures/application/stack.ts';
import { type BusyApplication, busyApplication } from './busy-application.ts';
import { runCommand } from './command.ts';
import { driftedItems, textOf } from './drifted-items.ts';
import { foundBy, isMended } from './findings.ts';
import { type SeededTable, seedTable } from './seeded-table.ts';

/** How long the worker may take until copies stand, in seconds, on a machine that is busy with other work. */
const grace = '8';

/**
 * The same while an application writes and the worker runs: what they do to right copies is never called drift, and what
 * was wrong before is found and repaired beside them.
 */
export function liveTableSuite(families: number): void {
  const { items, wrong, roots, copies } = driftedItems(families);
  const corrected = wrong.filter(isMended);

  describe(`${roots} roots with ${copies} copies, ${wrong.length} wrong, while others write`, () => {
    let server: LocalServer;
    let table: SeededTable;
    let devEnvironment: DevEnvironment;
    let application: BusyApplication;
    const cwd = mkdtempSync(join(tmpdir(), 'denorm-live-'));
    const args = () => ['--endpoint', table.endpoint, '--table', table.name, '--json', '--rcu', 'unlimited'];

    beforeAll(async () => {
      server = await startEmbeddedTableServer();
      table = await seedTable(server.endpoint, 'app', items, false);
      // The stream begins when all stands: the worker has not seen what is wrong.
      await table.client.send(
        new UpdateTableCommand({
          TableName: table.name,
          StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        }),
      );
      devEnvironment = await openDevEnvironment({
        ...{ endpoint: server.endpoint, tableName: table.name },
        registry: loadRules({ statusShards: 1, disabled: [] }),
        stack: { ...settings, recheckDelaySeconds: 1 },
        stateDir: join(cwd, 'state'),
      });
      application = busyApplication(table, families);
    });
    afterAll(async () => {
      await application?.stop();
      await devEnvironment?.close();
      table?.close();
      await server?.stop();
      rmSync(cwd, { recursive: true, force: true });
    });

    test('verify finds exactly what was wrong', async () => {
      const before = application.writes();

      const ran = await runCommand(['verify', ...args(), '--grace', grace], cwd);

      expect(application.writes()).toBeGreaterThan(before + 20);
      expect(foundBy(ran)).toEqual(wrong.map(textOf).toSorted());
    });

    test('repair writes each wrong copy that it can correct once', async () => {
      const before = application.writes();

      const ran = await runCommand(['repair', ...args(), '--grace', grace, '--wcu', 'unlimited'], cwd);

      expect(application.writes()).toBeGreaterThan(before + 20);
      expect(ran.lines.at(-1)?.summary).toMatchObject({
        ...{ finished: true, written: corrected.length, removed: 0, unchanged: 0 },
        leftAlone: { unmapped: wrong.filter(({ unmapped }) => unmapped).length },
      });
    });

    test('in the end, everything is right but what a person must correct', async () => {
      await application.stop();
      await devEnvironment.idle();
      devEnvironment.deliverDelayedNow();
      await devEnvironment.idle();

      const ran = await runCommand(['verify', ...args(), '--grace', '1'], cwd);

      expect(foundBy(ran)).toEqual(
        wrong
          .filter((one) => !isMended(one))
          .map(textOf)
          .toSorted(),
      );
    });
  });
}
