/** Program: makes a function's telemetry count every metric as often as the argument says. Settings are in the environment. */
import { LambdaTelemetry } from '../../../src/worker/lambda/telemetry.ts';

const telemetry = new LambdaTelemetry();
const root = { pk: 'USER#1', sk: '#METADATA' };
const rule = 'username-on-memberships';
const counts = { swept: 1, expiring: 0, restored: 0, changed: 0, unclassified: 1 };
for (let times = Number(process.argv[2]); times > 0; times -= 1) {
  telemetry.propagated({
    ...{ rule, root, cause: 'check', recheck: false, changedAt: Date.now() },
    ...{
      written: 1,
      removed: 1,
      unchanged: 1,
      lost: 1,
      orphans: 1,
      foreign: 0,
      deadLettered: 0,
      requeued: 1,
      narrowed: 1,
      skipped: 1,
      pace: { unitsPerSecond: 800, throttled: 1 },
    },
  });
  telemetry.checked({ copies: 1, differing: 0, orphans: 1 });
  telemetry.deadLettered({ code: 'record.unreadable', reason: 'Expected keys', record: '1' });
  telemetry.receivedAgain([{ id: 'm1', receives: 1, message: undefined }]);
  telemetry.swept({
    ...{ rule: 'archive-orders', looked: 1, kinds: { Order: counts }, stored: 1 },
    ...{ readUnits: 1, writeUnits: 1, finished: false, started: 0, at: 1_000 },
  });
  telemetry.verified({ items: 1, copies: 1, drift: 1, finished: true });
  telemetry.failed(new TypeError('Expected something else'));
}
telemetry.flush();
