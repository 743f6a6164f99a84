import type { DriftView, VerifyView } from '../../develop/page/protocol/trouble.ts';
import type { Registry } from '../../model/registry.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { ScanPort, TablePort } from '../../worker/ports.ts';
import { Budget } from '../../worker/scan/budget.ts';
import { wholeTable } from '../../worker/scan/scan-table.ts';
import { countIn, driftIn, verifyFrom } from '../../worker/verify/verify-state.ts';
import { verifyTable } from '../../worker/verify/verify-table.ts';

/** Drift that is listed: the rest is counted. */
const maxListed = 1_000;

/** Compares all copies of a local table with their roots, and all totals with their members. Writes nothing. */
export async function verify(registry: Registry, table: TablePort, scan: ScanPort): Promise<VerifyView> {
  const drift: DriftView[] = [];
  const state = await verifyTable(
    {
      ...{ registry, passes: [registry], table, scan, orphans: 'unexplained', clock: systemClock },
      // A change on this machine reaches its copies well within this time, in milliseconds.
      grace: 1_500,
      stop: () => false,
      onDrift: async (found) => {
        for (const one of found.slice(0, maxListed - drift.length)) {
          const { kind, rule, copy, root, attributes, reason } = one;
          drift.push({ kind, rule, copy, root, what: reason ?? attributes.join(', ') });
        }
      },
      budget: new Budget(Number.POSITIVE_INFINITY, systemClock),
      concurrency: 4,
    },
    verifyFrom(wholeTable(8), registry),
  );
  return { items: state.items, copies: countIn(state, ['copies']), drift, found: driftIn(state) };
}
