import type { DriftView, VerifyView } from '../../develop/page/protocol/views.ts';
import type { Registry } from '../../model/registry.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { ScanPort, TablePort } from '../../worker/ports.ts';
import { unlimited } from '../../worker/scan/budget.ts';
import { verifyShare } from '../../worker/verify/verify-sample.ts';

export async function verify(registry: Registry, table: TablePort, scan: ScanPort): Promise<VerifyView> {
  const drift: DriftView[] = [];
  const report = await verifyShare({
    ...{ registry, table, scan, clock: systemClock, budget: unlimited(systemClock) },
    ...{ share: 1, random: Math.random, stop: () => false },
    // A change on this machine reaches its copies well within this time, in milliseconds.
    grace: 1_500,
    telemetry: {
      drifted: ({ kind, rule, copy, root, attributes, reason }) => {
        drift.push({ kind, rule, copy, root, what: reason ?? attributes.join(', ') });
      },
      verified() {},
    },
  });
  return { items: report.items, copies: report.copies, drift, found: report.drift };
}
