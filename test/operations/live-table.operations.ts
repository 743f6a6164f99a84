import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DevEnvironment, openDevEnvironment } from '../../src/dev/dev-environment.ts';
import type { LocalServer } from '../../src/dev/local-server.ts';
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { applicationOf } from '../deployed/application.ts';
import { incidentItems } from '../deployed/items.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { settings } from '../fixtures/application/stack.ts';
import { foundBy, isMended, runCommand } from './command.ts';
import { driftedItems, familyId, textOf } from './drifted-items.ts';
import { documentsOf, type SeededTable, seedTable } from './seeded-table.ts';

/** How long the worker may take until copies stand, in seconds, on a machine that is busy with other work. */
const grace = '8';

const families = 100;
const { items, wrong, roots, copies } = driftedItems(families);
const corrected = wrong.filter(isMended);

/**
 * The same while an application writes and the worker runs: what they do to right copies is never called drift, and what
 * was wrong before is found and repaired beside them.
 */
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

/** An application that keeps writing until it is stopped. */
interface BusyApplication {
  /** Writes so far. */
  writes(): number;
  stop(): Promise<void>;
}

/**
 * Applications as they write to a table of {@link driftedItems}: roots change, copies are overwritten with what was read of
 * their root a moment ago, new roots come with their copies. Roots of which the seed made something wrong are left alone.
 */
function busyApplication({ client, name }: SeededTable, families: number): BusyApplication {
  const table = applicationOf(documentsOf(client), name);
  let writes = 0;
  let stopped = false;
  let random = 17;
  function any(below: number): number {
    random = (random * 48_271) % 2_147_483_647;
    return random % below;
  }
  async function write(): Promise<void> {
    // The first root of each kind is the one with which something may be wrong.
    const id = familyId(any(families), 1 + any(5));
    switch (any(5)) {
      case 0:
        return table.set({ PK: `acct_${id}#inc`, SK: `inc_${id}` }, { Title: `title ${writes}` });
      case 1:
        return table.set({ PK: `USER#${id}`, SK: '#METADATA' }, { username: `name ${writes}` });
      case 2: {
        const Status = ['PAID', 'SHIPPED', 'DELIVERED'][any(3)];
        return table.set({ PK: `ORDER#${id}`, SK: 'METADATA' }, { Status });
      }
      case 3: {
        const server = `${id}-0000${any(5)}`;
        return table.set(
          { PK: `SERVER#${server}`, SK: `USER#${id}` },
          { username: 'as somebody remembers it' },
        );
      }
      default: {
        const { root, said, copies } = incidentItems(1, `new${writes}`);
        await table.put({ ...root, ...said });
        return table.put(...copies.map((copy) => ({ ...copy, Title: 'a draft' })));
      }
    }
  }
  const ended = (async () => {
    for (; !stopped; writes += 1) {
      await write();
      await delay(40);
    }
  })();
  return {
    writes: () => writes,
    async stop() {
      stopped = true;
      await ended;
    },
  };
}
