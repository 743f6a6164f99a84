import { afterEach, describe, expect, it, vi } from 'vitest';
import { HeartbeatTelemetry, metricNames, ScheduledTelemetry } from '../../../src/worker/lambda/telemetry.ts';
import { namespace, ownAlarmMetrics } from './alarms.ts';
import { metricsIn, passesLogFilter } from './log-filter.ts';
import { captureLines } from './logged-lines.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const rule = 'username-on-memberships';

/** The lines of a function's telemetry that counts every metric this many times, with the template's settings for `LogLevel=ERROR`. */
function written(service: string, times: number): readonly string[] {
  const environment = {
    ...{ POWERTOOLS_LOG_LEVEL: 'ERROR', AWS_LAMBDA_LOG_LEVEL: 'ERROR', AWS_LAMBDA_LOG_FORMAT: 'JSON' },
    ...{ POWERTOOLS_METRICS_NAMESPACE: namespace, POWERTOOLS_SERVICE_NAME: service },
  };
  for (const [variable, text] of Object.entries(environment)) vi.stubEnv(variable, text);
  const lines = captureLines();
  const telemetry = new ScheduledTelemetry();
  for (let time = 0; time < times; time += 1) {
    telemetry.propagated({
      ...{ rule, root: { pk: 'USER#1', sk: '#METADATA' }, cause: 'check', recheck: false },
      ...{ written: 1, removed: 1, unchanged: 1, lost: 1, orphans: 1, foreign: 0, deadLettered: 0 },
      ...{ requeued: 1, narrowed: 1, skipped: 1, absent: 1, changedAt: Date.now() },
      pace: { unitsPerSecond: 800, throttled: 1 },
    });
    telemetry.checked({ copies: 1, differing: 0, orphans: 1 });
    telemetry.deadLettered({ code: 'record.unreadable', reason: 'Expected keys', record: '1' });
    const unavailableSince = Date.now() - 1_000;
    const message = { rule, root: { pk: 'USER#1', sk: '#METADATA' }, cause: 'changed', attempts: 0 } as const;
    telemetry.received([
      { id: 'm1', receives: 2, message: { ...message, unavailableSince }, rule, waitMs: 5 },
    ]);
    telemetry.swept({
      ...{ rule: 'archive-orders', looked: 1, stored: 1, readUnits: 1, writeUnits: 1 },
      kinds: { Order: { swept: 1, expiring: 0, restored: 0, changed: 0, unclassified: 1 } },
      ...{ finished: false, started: 0, at: 1_000 },
    });
    telemetry.verified({
      ...{ items: 1, copies: 1, drift: 1, finished: true, waiting: 0, queue: undefined, ofNoKind: 0 },
      ...{ unmatched: [], uncompared: [], nearlyOfKind: [], paused: {} },
    });
    telemetry.failed(new TypeError('Expected something else'));
  }
  telemetry.flush();
  if (service === 'heartbeat') return beaten(times, lines);
  return lines;
}

/** Its telemetry publishes nothing else. */
function beaten(times: number, lines: readonly string[]): readonly string[] {
  const telemetry = new HeartbeatTelemetry();
  for (let time = 0; time < times; time += 1)
    telemetry.beaten({
      paths: [{ path: 'archive', overdueSeconds: 1, lost: [1], tripSeconds: 1 }],
      ...{ paused: {}, oldestPauseSeconds: 1 },
    });
  telemetry.flush();
  return lines;
}

const watched = Map.groupBy(ownAlarmMetrics(), ({ dimensions }) => String(dimensions['service']));

describe.each([...watched])('at LogLevel=ERROR, the log of %s', (service, alarms) => {
  it.each([1, 250])('has every metric of every alarm, counted %i times', (times) => {
    const metrics = written(service, times)
      .filter((line) => passesLogFilter(line, 'ERROR'))
      .flatMap(metricsIn);
    for (const { alarm, name, dimensions } of alarms) {
      const found = metrics.filter((one) => one.name === name && one.namespace === namespace);
      for (const one of found) expect(one.dimensions, alarm).toEqual(dimensions);
      const values = found.flatMap((one) => one.values);
      // A first receive is not published.
      const each = name === metricNames.receives ? 2 : 1;
      expect([alarm, values.reduce((sum, value) => sum + value, 0)]).toEqual([alarm, times * each]);
    }
  });
});
