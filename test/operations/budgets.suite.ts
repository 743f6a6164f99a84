import { describe, expect, test } from 'vitest';
import { ModelScan } from '../../src/develop/testing/table-model/model-scan.ts';
import { ModelTable } from '../../src/develop/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../src/develop/testing/table-model/model-table-port.ts';
import { VirtualClock } from '../../src/develop/testing/table-model/virtual-clock.ts';
import { readUnits, writeUnits } from '../../src/model/capacity.ts';
import { itemSize } from '../../src/model/item-size.ts';
import { Propagations } from '../../src/operate/drift/repair.ts';
import { silentTelemetry } from '../../src/operate/offline/silent-telemetry.ts';
import { Budget } from '../../src/worker/scan/budget.ts';
import { meteredTable } from '../../src/worker/scan/metered-table.ts';
import { wholeTable } from '../../src/worker/scan/scan-table.ts';
import { driftIn, verifyFrom } from '../../src/worker/verify/verify-state.ts';
import { verifyTable } from '../../src/worker/verify/verify-table.ts';
import { shopRegistry } from '../fixtures/rules/shop-rules.ts';
import { driftedItems } from './drifted-items.ts';
import { isMended } from './findings.ts';

/**
 * Budgets, counted and not timed: a clock that stands still while anything is done, and a table that counts what it is
 * asked for.
 */
export function budgetsSuite(families: number): void {
  const { items, wrong, roots, copies } = driftedItems(families);
  const registry = shopRegistry();

  /** Repairs the table, and counts its reads from its requests and its writes from its history. */
  async function repaired(rcu: number, wcu: number) {
    const clock = new VirtualClock();
    const model = new ModelTable(registry.table, () => clock.now());
    for (const item of items) model.put(item);
    const began = clock.now();
    const before = model.history.length;
    const scan = new ModelScan(model);
    const port = new ModelTablePort(model);
    let read = 0;
    port.before = (request) => {
      const keys = request.kind === 'get' ? [request.key] : request.kind === 'getMany' ? request.keys : [];
      for (const key of keys) read += readUnits(itemSize(model.read(key) ?? {}), true);
    };
    const reads = new Budget(rcu, clock);
    const budgets = { reads, writes: new Budget(wcu, clock) };
    const table = meteredTable(port, registry.table, budgets).port;
    const propagations = new Propagations({
      ...{ registry, table, clock, telemetry: silentTelemetry, stop: () => false },
      ...{ concurrency: 16, allowRemove: false },
    });
    let written = 0;
    const state = await verifyTable(
      {
        ...{
          registry,
          rules: registry.rules,
          aggregates: [],
          table,
          scan,
          budget: reads,
          clock,
          concurrency: 4,
        },
        ...{ orphans: 'unexplained', grace: 1000, stop: () => false },
        onDrift: async (found) => {
          const outcome = await propagations.repair(found.map(({ drift }) => drift));
          written += outcome.written;
        },
      },
      verifyFrom(wholeTable(8), registry.rules),
    );
    const wrote = model.history.slice(before);
    return {
      ...{ state, written, wrote: wrote.length, seconds: (clock.now() - began) / 1000 },
      readUnits: read + scan.units,
      writeUnits: wrote.reduce(
        (sum, one) => sum + writeUnits(registry.table, one.before, one.after).total,
        0,
      ),
    };
  }

  describe(`budgets over ${roots} roots with ${copies} copies, ${wrong.length} of them wrong`, () => {
    const corrected = wrong.filter(isMended).length;
    const rcu = families / 2;

    test('of reads are kept to within a tenth', async () => {
      const { state, written, wrote, readUnits: units, seconds } = await repaired(rcu, 100_000);

      expect(driftIn(state)).toBe(wrong.length);
      expect([written, wrote]).toEqual([corrected, corrected]);
      expect(units / seconds).toBeLessThanOrEqual(rcu * 1.1);
      expect(units / seconds).toBeGreaterThanOrEqual(rcu * 0.9);
      console.log(
        `${Math.round(units)} read units in ${Math.round(seconds)} s: ${(units / seconds).toFixed(1)} of ${rcu}`,
      );
    });

    test('of writes are kept to within a tenth', async () => {
      const { written, writeUnits: units, seconds } = await repaired(100_000, 2);

      expect(written).toBe(corrected);
      expect(units / seconds).toBeLessThanOrEqual(2 * 1.1);
      expect(units / seconds).toBeGreaterThanOrEqual(2 * 0.9);
      console.log(`${units} write units in ${Math.round(seconds)} s: ${(units / seconds).toFixed(2)} of 2`);
    });
  });
}
