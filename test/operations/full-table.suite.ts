import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyText } from '../../src/model/items/item.ts';
import { foundBy, isMended, runCommand } from './command.ts';
import { driftedItems, textOf } from './drifted-items.ts';
import { changedBetween, type SeededTable, seedTable } from './seeded-table.ts';

/** What serves DynamoDB on this machine. */
export interface Server {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const plain = ['--grace', '1', '--json'];
const fast = [...plain, '--rcu', 'unlimited'];
const writing = ['--wcu', 'unlimited', '--without-stream'];

/**
 * The operator's commands on a table in which one copy of a hundred is wrong, one way after another: found are exactly
 * those, repaired exactly those that can be, whatever interrupts it.
 * @param start what serves the table
 * @param families of 20 roots and 100 copies each
 * @param rules those that a backfill is tried with
 * @param again whether it is searched once more after the repair: that the table holds what it should is told in any case
 */
export function fullTableSuite(
  start: () => Promise<Server>,
  families: number,
  rules: readonly string[],
  again: boolean,
): void {
  const { items, wrong, roots, copies } = driftedItems(families);

  const name = `${roots} roots with ${copies} copies, ${wrong.length} of them wrong`;
  // Processes that are stopped on their way: a machine that is busy with other work takes its time.
  describe(name, { timeout: 900_000 }, () => {
    let server: Server;
    let table: SeededTable;
    let seeded: ReadonlyMap<string, string>;
    let repaired: ReadonlyMap<string, string>;
    const cwd = mkdtempSync(join(tmpdir(), 'denorm-operations-'));
    // Slow enough to be hit on its way, whatever the size of the table.
    const slow = [...plain, '--rcu', String(items.length / 25)];
    const soon = { items: items.length / 4 };
    const at = () => ['--endpoint', table.endpoint, '--table', table.name];

    beforeAll(async () => {
      server = await start();
      table = await seedTable(server.endpoint, 'app', items, false);
      seeded = await table.read();
      expect(seeded.size).toBe(items.length);
    });
    afterAll(async () => {
      table?.close();
      await server?.stop();
      rmSync(cwd, { recursive: true, force: true });
    });

    test('verify finds exactly the wrong copies, though it is killed twice', async () => {
      const args = ['verify', ...at(), ...slow];
      const point = 'verify-app.resume.json';
      const first = await runCommand(args, cwd, { signal: 'SIGKILL', ...soon, point });
      const resumed = [...args, '--resume'];
      const second = await runCommand(resumed, cwd, { signal: 'SIGKILL', ...soon, point });
      const third = await runCommand([...resumed, ...fast], cwd);

      expect([first, second].map(({ signal }) => signal)).toEqual(['SIGKILL', 'SIGKILL']);
      expect(foundBy(first, second, third)).toEqual(wrong.map(textOf).toSorted());
      expect(third.lines.at(-1)?.summary).toMatchObject({
        finished: true,
        drift: wrong.length,
        items: items.length,
      });
      expect(third.code).toBe(1);
    });

    test('repair writes each repairable copy once, though it is stopped twice', async () => {
      const corrected = wrong.filter((one) => isMended(one));
      const args = ['repair', ...at(), ...slow, ...writing];
      const point = 'repair-app.resume.json';
      const first = await runCommand(args, cwd, { signal: 'SIGINT', ...soon, point });
      const resumed = [...args, '--resume'];
      const second = await runCommand(resumed, cwd, { signal: 'SIGINT', ...soon, point });
      const third = await runCommand([...resumed, ...fast], cwd);

      for (const { code, stderr } of [first, second]) {
        expect(stderr).toContain('the same command with --resume continues');
        expect(code).toBe(1);
      }
      expect(third.lines.at(-1)?.summary).toMatchObject({
        ...{ finished: true, written: corrected.length, unchanged: 0, removed: 0, lost: 0 },
        leftAlone: { unmapped: wrong.filter(({ unmapped }) => unmapped).length },
      });
      expect(third.code).toBe(1);
      // That verify had written nothing is said here as well.
      repaired = await table.read();
      expect(changedBetween(seeded, repaired)).toEqual(corrected.map(({ copy }) => keyText(copy)).toSorted());
    });

    if (again)
      test('verify then finds only what a person must correct', async () => {
        const ran = await runCommand(['verify', ...at(), ...fast], cwd);

        expect(foundBy(ran)).toEqual(
          wrong
            .filter((one) => !isMended(one))
            .map(textOf)
            .toSorted(),
        );
      });

    test.each(rules)('a backfill of %s writes nothing if every copy is right', async (rule) => {
      const { lines } = await runCommand(
        ['backfill', ...at(), '--rule', rule, '--rcu', 'unlimited', '--json', ...writing],
        cwd,
      );

      expect(lines.at(-1)?.summary).toMatchObject({ finished: true, written: 0, removed: 0, writeUnits: 0 });
      expect(Number(lines.at(-1)?.summary?.['unchanged'])).toBeGreaterThan(copies * 0.2);
    });

    test('no backfill has changed the table', async () => {
      expect(changedBetween(repaired, await table.read())).toEqual([]);
    });
  });
}
