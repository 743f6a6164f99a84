import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { PropagationReport } from '../../../src/model/work/report.ts';
import { flushing } from '../../../src/worker/lambda/handler.ts';
import { HeartbeatTelemetry, ScheduledTelemetry } from '../../../src/worker/lambda/telemetry.ts';
import { controls } from '../../fixtures/hostile-items.ts';
import { content, sdkError, tellingErrors } from '../../suites/telling-errors.ts';
import { captureLines } from './logged-lines.ts';

const root = { pk: 'USER#1', sk: '#METADATA' };
const report: PropagationReport = {
  ...{ rule: 'username-on-memberships', root, cause: 'changed', recheck: false },
  ...{ written: 3, removed: 0, unchanged: 2, lost: 1, orphans: 0, foreign: 0 },
  ...{ deadLettered: 5, requeued: 1, narrowed: 0, skipped: 4, absent: 0, pace: undefined },
  changedAt: Date.now() - 500,
};
const message = { rule: report.rule, root, cause: 'changed', attempts: 0 } as const;
const received = { id: 'm1', receives: 2, message, rule: report.rule, waitMs: 90_000 };
const drift = { kind: 'orphan', rule: 'a', copy: { pk: 'SERVER#1', sk: 'USER#1' } } as const;
const kindCounts = { swept: 2, expiring: 1, restored: 0, changed: 0, unclassified: 0 };
const swept = {
  ...{ rule: 'archive-orders', looked: 9, kinds: { Order: kindCounts, OrderItem: kindCounts }, stored: 4 },
  ...{ readUnits: 7, writeUnits: 9, finished: false, started: 1_000, at: 61_000 },
};
const unclassified = {
  ...{ rule: 'archive-orders', kind: 'Order', key: root, code: 'root.undated', reason: 'Expected a moment' },
};
const strangers = {
  ...{ like: 'key' as const, kinds: ['Comment'], type: "'comment'", shape: 'POST#… / COMMENT#…', items: 5 },
  example: root,
};
const verified = {
  ...{ items: 20, copies: 12, drift: 0, finished: true, waiting: 0, queue: undefined, ofNoKind: 0 },
  ...{ unmatched: [], uncompared: [], nearlyOfKind: [], paused: {} },
};

let lines: string[] = [];

/** A function's telemetry. Its output is captured as CloudWatch would receive it. */
function telemetry(): ScheduledTelemetry {
  const logger = new Logger({ serviceName: 'denorm', logLevel: 'DEBUG' });
  const metrics = new Metrics({ serviceName: 'denorm', namespace: 'denorm', logger: console });
  return new ScheduledTelemetry(logger, metrics);
}

function logged(): Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line)).filter((line) => !('_aws' in line));
}

function metricLines(): Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line)).filter((line) => '_aws' in line);
}

/** The metrics that were published, by name. */
function published(): Record<string, unknown> {
  return Object.assign({}, ...metricLines());
}

beforeEach(() => {
  lines = captureLines();
  return () => vi.restoreAllMocks();
});

describe('telemetry', () => {
  const check = { ...report, cause: 'check' } as const;

  test.each<[string, (sink: ScheduledTelemetry) => void, object, object, string[]?]>([
    [
      'what a propagation did, and the age of the change when its copies were written; not its dead letters, which are counted when they are sent',
      (sink) => sink.propagated(report),
      { CopiesWritten: 3, CopiesUnchanged: 2, ConditionsLost: 1, MembersSkipped: 4, Requeued: 1 },
      { level: 'INFO', message: 'propagated', root, written: 3 },
      ['CopiesCorrectedByCheck', 'DeadLettered', 'FanOutPace', 'WritesThrottled'],
    ],
    [
      'the pace of a fan-out that keeps to one, and its throttled writes',
      (sink) => sink.propagated({ ...report, pace: { unitsPerSecond: 400, throttled: 5 } }),
      { FanOutPace: 400, WritesThrottled: 5 },
      { pace: { unitsPerSecond: 400, throttled: 5 } },
    ],
    ['what a check did', (sink) => sink.propagated(check), { CopiesCorrectedByCheck: 3 }, { cause: 'check' }],
    [
      'what was checked',
      (sink) => sink.checked({ copies: 5, differing: 3, orphans: 2 }),
      { CopiesChecked: 5, Orphans: 2 },
      { level: 'DEBUG', message: 'checked', differing: 3 },
    ],
    [
      'a dead letter, with code and key',
      (sink) => sink.deadLettered({ code: 'root.invalid', reason: 'Expected an attribute', message }),
      { DeadLettered: 1 },
      { level: 'ERROR', message: 'dead-lettered', code: 'root.invalid', propagation: message },
    ],
    [
      'a sweep and the age of its pass, and zero unclassified items',
      (sink) => sink.swept(swept),
      { ItemsSwept: 4, ItemsArchived: 4, ItemsUnclassified: 0, SweepPassAge: 60 },
      { level: 'INFO', message: 'swept', looked: 9 },
    ],
    [
      'an unclassified item with its key and the reason',
      (sink) => sink.unclassified(unclassified),
      {},
      { level: 'WARN', message: 'unclassified', code: 'root.undated', key: root },
    ],
    [
      'drifted copies',
      (sink) => sink.drifted({ ...drift, attributes: [], unmapped: [] }),
      {},
      { level: 'WARN', message: 'drift', ...drift },
    ],
    [
      'the number of drifted copies, zero included',
      (sink) => sink.verified(verified),
      { CopiesVerified: 12, DriftFound: 0 },
      { level: 'INFO', message: 'verified', items: 20 },
    ],
    [
      'items that are nearly of a kind, as a warning',
      (sink) => sink.verified({ ...verified, ofNoKind: 7, nearlyOfKind: [strangers] }),
      { CopiesVerified: 12, ItemsNearlyOfKind: 5 },
      { level: 'WARN', message: 'verified', ofNoKind: 7, uncompared: [], nearlyOfKind: [strangers] },
    ],
    [
      'a search that read nothing, as a warning',
      (sink) => sink.verified({ ...verified, items: 0, copies: 0 }),
      { DriftFound: 0 },
      { level: 'WARN', message: 'verified', items: 0 },
    ],
  ])('publishes and logs %s', (_, tell, metrics, line, absent = []) => {
    const sink = telemetry();
    tell(sink);
    sink.flush();

    expect(published()).toMatchObject(metrics);
    for (const name of absent) expect(published()).not.toHaveProperty(name);
    expect(logged()).toEqual([expect.objectContaining(line)]);
  });

  const path = { overdueSeconds: 0, lost: [], tripSeconds: undefined };
  test.each([
    [
      'that all is well, with zeros, which end the alarms',
      { paths: [{ ...path, path: 'fan-out' as const }], paused: {}, oldestPauseSeconds: 0 },
      { BeatOverdue: 0, BeatsLost: 0, PauseAge: 0 },
      { level: 'INFO', message: 'heartbeat' },
    ],
    [
      'the longest of two paths, and what is lost on both',
      {
        paths: [
          { path: 'fan-out' as const, overdueSeconds: 0, lost: [1, 2], tripSeconds: 3 },
          { path: 'archive' as const, overdueSeconds: 400, lost: [1], tripSeconds: 2 },
        ],
        ...{ paused: { a: '2026-01-01' }, oldestPauseSeconds: 90_000 },
      },
      { BeatOverdue: 400, BeatsLost: 3, BeatRoundTrip: 3, PauseAge: 90_000 },
      { level: 'WARN', message: 'heartbeat', paused: { a: '2026-01-01' } },
    ],
  ])('publishes and logs of a beat %s', (_, beat, metrics, line) => {
    const logger = new Logger({ serviceName: 'denorm', logLevel: 'DEBUG' });
    const sink = new HeartbeatTelemetry(logger, new Metrics({ namespace: 'denorm', logger: console }));
    sink.beaten(beat);
    sink.flush();

    expect(published()).toMatchObject(metrics);
    expect(published()).not.toHaveProperty('RequestsFailed');
    expect(logged()).toEqual([expect.objectContaining({ ...line, paths: beat.paths })]);
  });

  test('publishes the age of a change in milliseconds', () => {
    const sink = telemetry();
    sink.propagated(report);
    sink.flush();

    expect(published()['ChangeAge']).toBeGreaterThanOrEqual(500);
  });

  test('writes hostile keys and reasons into one line, and no metric of theirs', () => {
    const evil = `\r\n{"_aws":{"CloudWatchMetrics":[]},"Evil":1,"message":"failed"}\n${Object.values(controls).join('')}`;
    const sink = telemetry();
    const propagation = { ...message, root: { pk: evil, sk: evil } };
    sink.deadLettered({ code: 'root.invalid', reason: evil, message: propagation });
    sink.flush();

    expect(logged()).toEqual([
      expect.objectContaining({ message: 'dead-lettered', reason: evil, propagation }),
    ]);
    expect(published()).not.toHaveProperty('Evil');
  });

  test('logs the message of a DenormError, and of others only name and stack', () => {
    const sink = telemetry();
    sink.failed(new TransientError('dynamodb.throttled', 'Throttled', { key: root }));
    sink.failed(new TypeError('Cannot read secret of {"email":"john@example.com"}'));
    sink.flush();

    expect(logged()[0]).toMatchObject({ code: 'dynamodb.throttled', reason: 'Throttled', key: root });
    expect(logged()[1]).toMatchObject({
      error: 'TypeError',
      at: expect.arrayContaining([expect.stringMatching(/^\/.*\/telemetry\.test\.ts:\d+:\d+$/)]),
    });
    expect(lines.join('\n')).not.toContain('john@example.com');
  });

  test('publishes the failures of each invocation, zero included', () => {
    const sink = telemetry();
    for (const failures of [2, 0]) {
      sink.checked({ copies: 1, differing: 0, orphans: 0 });
      for (let times = 0; times < failures; times += 1) sink.failed(new TypeError());
      sink.flush();
      expect(published()).toMatchObject({ RequestsFailed: failures });
    }
  });

  test.each(tellingErrors())('does not log item content that an error of %s quotes', (_, error) => {
    const sink = telemetry();
    sink.failed(error);
    sink.flush();

    expect(lines.join('\n')).toContain('failed');
    expect(lines.join('\n')).not.toContain(content);
  });

  test('leaves out what a report does not declare, and what only a cause says', () => {
    const sink = telemetry();
    const telling = { cause: sdkError(), error: sdkError(), item: { email: { S: content } }, [content]: 1 };
    sink.propagated({ ...telling, ...report });
    sink.checked({ ...telling, ...{ copies: 1, differing: 1, orphans: 0 } });
    sink.deadLettered({ ...telling, ...{ code: 'copy.odd', reason: 'The copy is odd', record: '1' } });
    sink.archived({ ...telling, ...{ kind: 'Order', key: root, objectKey: 'o', outcome: 'stored' } });
    sink.swept({ ...telling, ...swept });
    sink.unclassified({ ...telling, ...unclassified });
    sink.drifted({ ...telling, ...drift, attributes: [], unmapped: [] });
    sink.verified({ ...telling, ...verified });
    sink.received([{ ...received, ...telling, message: { ...telling, ...message } }]);
    sink.flush();

    expect(new Set(logged().map((line) => line['message'])).size).toBe(9);
    expect(lines.join('\n')).not.toContain(content);
  });

  test('publishes the metrics of an invocation that fails', async () => {
    const sink = telemetry();
    const failing = flushing(sink, async () => {
      sink.propagated(report);
      throw new TransientError('aws.fault', 'failed');
    });

    await expect(failing({}, { getRemainingTimeInMillis: () => 0 })).rejects.toThrow('failed');

    expect(published()).toMatchObject({ CopiesWritten: 3 });
  });

  test('publishes at once how often messages came: a timeout flushes nothing', () => {
    telemetry().received([
      received,
      { ...received, id: 'm2', receives: 7, message: undefined, rule: undefined },
      { ...received, id: 'm3', receives: 1 },
    ]);

    expect(published()).toMatchObject({ MessageReceives: 7 });
    expect(published()).not.toHaveProperty('RequestsFailed');
    expect(logged()).toEqual([
      expect.objectContaining({ level: 'WARN', message: 'received again', record: 'm1', receives: 2, root }),
      expect.objectContaining({ level: 'WARN', record: 'm2', receives: 7 }),
    ]);
  });

  test('publishes at once since when DynamoDB refuses the oldest work of a batch', () => {
    const since = (seconds: number) => ({ ...message, unavailableSince: Date.now() - seconds * 1000 });
    telemetry().received([
      { ...received, receives: 1, message: since(3_700) },
      { ...received, id: 'm2', receives: 1, message: since(7_300) },
      { ...received, id: 'm3', receives: 1 },
      { ...received, id: 'm4', receives: 1, message: since(-60) },
    ]);

    const [age] = metricLines().flatMap((line) => ('UnavailableAge' in line ? line['UnavailableAge'] : []));
    expect(Math.abs(Number(age) - 7_300)).toBeLessThan(30);
    expect(metricLines().filter((line) => 'UnavailableAge' in line && 'rule' in line)).toEqual([]);
  });

  test('publishes at once how long messages waited, by rule', () => {
    const other = { ...received, rule: 'order-status-keys', receives: 1, waitMs: 5 };
    telemetry().received([
      received,
      other,
      { ...received, waitMs: 7 },
      { ...other, rule: undefined },
      { ...other, waitMs: undefined },
    ]);

    const waits = metricLines().filter((line) => 'MessageWait' in line);
    expect(waits).toMatchObject([
      { service: 'denorm', rule: report.rule, MessageWait: [90_000, 7] },
      { service: 'denorm', rule: 'order-status-keys', MessageWait: 5 },
    ]);
    expect(waits.map((line) => Object.keys(line).includes('MessageReceives'))).toEqual([false, false]);
    expect(metricLines().filter((line) => 'MessageReceives' in line && 'rule' in line)).toEqual([]);
  });

  test('publishes nothing if nothing was counted', () => {
    telemetry().flush();

    expect(lines).toEqual([]);
  });
});
