import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { TransientError } from '../../../src/model/errors.ts';
import type { PropagationReport } from '../../../src/model/report.ts';
import { flushing } from '../../../src/worker/lambda/handler.ts';
import { LambdaTelemetry, metricNames } from '../../../src/worker/lambda/telemetry.ts';
import { controls } from '../../fixtures/hostile-items.ts';
import { content, sdkError, tellingErrors } from '../../suites/telling-errors.ts';
import { captureLines } from './logged-lines.ts';

const report: PropagationReport = {
  rule: 'username-on-memberships',
  root: { pk: 'USER#1', sk: '#METADATA' },
  cause: 'changed',
  recheck: false,
  written: 3,
  removed: 0,
  unchanged: 2,
  lost: 1,
  orphans: 0,
  foreign: 0,
  deadLettered: 0,
  requeued: 1,
  narrowed: 0,
  skipped: 4,
  pace: undefined,
  changedAt: Date.now() - 500,
};

let lines: string[] = [];

/** A function's telemetry. Its output is captured as CloudWatch would receive it. */
function telemetry(): LambdaTelemetry {
  const logger = new Logger({ serviceName: 'denorm', logLevel: 'DEBUG' });
  const metrics = new Metrics({ serviceName: 'denorm', namespace: 'denorm', logger: console });
  return new LambdaTelemetry(logger, metrics);
}

function spoken(): Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line));
}

/** The metrics that were published, by name. */
function published(): Record<string, unknown> {
  return Object.assign({}, ...spoken().filter((line) => '_aws' in line));
}

beforeEach(() => {
  lines = captureLines();
  return () => vi.restoreAllMocks();
});

describe('telemetry', () => {
  test('publishes the pace of a fan-out that keeps to one, and its throttled writes', () => {
    const sink = telemetry();
    sink.propagated({ ...report, pace: { unitsPerSecond: 400, throttled: 5 } });
    sink.flush();

    expect(published()).toMatchObject({ FanOutPace: 400, WritesThrottled: 5 });
    expect(spoken()[0]).toMatchObject({ pace: { unitsPerSecond: 400, throttled: 5 } });
  });

  test('publishes no pace for a propagation that keeps to none', () => {
    const sink = telemetry();
    sink.propagated(report);
    sink.flush();

    expect(Object.keys(published())).not.toContain('FanOutPace');
    expect(Object.keys(published())).not.toContain('WritesThrottled');
  });

  test('counts what a propagation did, and the age of the change when its copies were written', () => {
    const said = telemetry();
    said.propagated(report);
    said.flush();

    expect(published()).toMatchObject({
      [metricNames.written]: 3,
      [metricNames.unchanged]: 2,
      [metricNames.lost]: 1,
      [metricNames.skipped]: 4,
      [metricNames.requeued]: 1,
    });
    expect(published()[metricNames.age]).toBeGreaterThanOrEqual(500);
    expect(published()).not.toHaveProperty(metricNames.corrected);
  });

  test('counts what a check corrected separately', () => {
    const said = telemetry();
    said.checked({ copies: 5, differing: 3, orphans: 2 });
    said.propagated({ ...report, cause: 'check' });
    said.flush();

    expect(published()).toMatchObject({
      [metricNames.checked]: 5,
      [metricNames.corrected]: 3,
      [metricNames.orphans]: 2,
    });
  });

  test('counts and logs dead letters, with code and key', () => {
    const said = telemetry();
    const message = { rule: report.rule, root: report.root, cause: report.cause, attempts: 0 };
    said.deadLettered({ code: 'root.invalid', reason: 'Expected an attribute', message });
    said.flush();

    expect(published()).toMatchObject({ [metricNames.deadLettered]: 1 });
    expect(spoken()).toContainEqual(
      expect.objectContaining({
        level: 'ERROR',
        message: 'dead-lettered',
        code: 'root.invalid',
        propagation: message,
      }),
    );
  });

  test('writes hostile keys and reasons into one line, and publishes no metric that they name', () => {
    const evil = `\r\n{"_aws":{"CloudWatchMetrics":[]},"Evil":1,"message":"failed"}\n${Object.values(controls).join('')}`;
    const said = telemetry();
    const message = { rule: report.rule, root: { pk: evil, sk: evil }, cause: report.cause, attempts: 0 };
    said.deadLettered({ code: 'root.invalid', reason: evil, message });
    said.flush();

    expect(spoken().filter((line) => !('_aws' in line))).toEqual([
      expect.objectContaining({ message: 'dead-lettered', reason: evil, propagation: message }),
    ]);
    expect(published()).not.toHaveProperty('Evil');
  });

  test('logs the message of a DenormError, but only the name and the stack of any other error', () => {
    const said = telemetry();
    said.failed(new TransientError('dynamodb.throttled', 'Throttled', { key: report.root }));
    said.failed(new TypeError('Cannot read secret of {"email":"john@example.com"}'));
    said.flush();

    expect(lines.join('\n')).toContain('dynamodb.throttled');
    expect(spoken()[1]).toMatchObject({
      error: 'TypeError',
      at: expect.arrayContaining([expect.stringMatching(/^\/.*\/telemetry\.test\.ts:\d+:\d+$/)]),
    });
    expect(lines.join('\n')).not.toContain('john@example.com');
    expect(published()).toMatchObject({ [metricNames.failed]: 2 });
  });

  test('publishes the failures of each invocation, zero included, so that the average is a rate', () => {
    const said = telemetry();
    said.checked({ copies: 1, differing: 0, orphans: 0 });
    said.failed(new TypeError());
    said.failed(new TypeError());
    said.flush();
    expect(published()).toMatchObject({ [metricNames.failed]: 2 });
    said.checked({ copies: 1, differing: 0, orphans: 0 });
    said.flush();
    expect(published()).toMatchObject({ [metricNames.failed]: 0 });
  });

  test.each(tellingErrors())('does not log item content that an error of %s quotes', (_, error) => {
    const said = telemetry();
    said.failed(error);
    said.flush();

    expect(lines.join('\n')).toContain('failed');
    expect(lines.join('\n')).not.toContain(content);
  });

  test('leaves out of dead letters and drift what only the cause says', () => {
    const said = telemetry();
    const odd = Object.assign({ code: 'copy.odd', reason: 'The copy is odd' }, { cause: sdkError() });
    said.deadLettered(odd);

    expect(lines.join('\n')).toContain('copy.odd');
    expect(lines.join('\n')).not.toContain(content);
  });

  test('leaves out, in every method, undeclared fields of a report', () => {
    const said = telemetry();
    const telling = { error: sdkError(), item: { email: { S: content } }, [content]: 1 };
    const key = report.root;
    said.propagated({ ...report, ...telling });
    said.checked({ ...{ copies: 1, differing: 1, orphans: 0 }, ...telling });
    said.deadLettered({ ...{ code: 'copy.odd', reason: 'The copy is odd', record: '1' }, ...telling });
    said.archived({ ...{ kind: 'Order', key, objectKey: 'o', outcome: 'stored' }, ...telling });
    said.swept({
      ...{ rule: 'archive-orders', looked: 1, kinds: {}, stored: 0, readUnits: 1 },
      ...{ writeUnits: 1, finished: true, started: 0, at: 1, ...telling },
    });
    said.unclassified({
      ...{ rule: 'a', kind: 'Order', key, code: 'root.undated', reason: 'No date' },
      ...telling,
    });
    said.drifted({ ...{ kind: 'differs', rule: 'a', copy: key, attributes: [], unmapped: [] }, ...telling });
    said.verified({ ...{ items: 1, copies: 1, drift: 1, finished: true }, ...telling });
    for (const [, error] of tellingErrors()) said.failed(error);
    said.flush();

    const logged = new Set(spoken().map(({ message }) => message));
    for (const line of ['propagated', 'checked', 'dead-lettered', 'archived', 'swept'])
      expect(logged).toContain(line);
    for (const line of ['unclassified', 'drift', 'verified', 'failed']) expect(logged).toContain(line);
    expect(lines.join('\n')).not.toContain(content);
  });

  test('logs the counts of a sweep and the age of its pass, and publishes zero unclassified items', () => {
    const counts = { swept: 2, expiring: 1, restored: 0, changed: 0, unclassified: 0 };
    const said = telemetry();
    said.swept({
      ...{ rule: 'archive-orders', looked: 9, kinds: { Order: counts, OrderItem: counts }, stored: 4 },
      ...{ readUnits: 7, writeUnits: 9, finished: false, started: 1_000, at: 61_000 },
    });
    said.flush();

    expect(published()).toMatchObject({
      [metricNames.swept]: 4,
      [metricNames.archived]: 4,
      [metricNames.unclassified]: 0,
      [metricNames.passAge]: 60,
    });
  });

  test('logs the key of an unclassified item and the reason', () => {
    telemetry().unclassified({
      ...{ rule: 'archive-orders', kind: 'Order', key: report.root },
      ...{ code: 'root.undated', reason: 'Expected a moment' },
    });

    expect(spoken()).toContainEqual(
      expect.objectContaining({
        level: 'WARN',
        message: 'unclassified',
        code: 'root.undated',
        key: report.root,
      }),
    );
  });

  test('publishes the metrics of an invocation that fails', async () => {
    const sink = telemetry();
    const failing = flushing(sink, async () => {
      sink.propagated(report);
      throw new TransientError('aws.fault', 'failed');
    });

    await expect(failing({}, { getRemainingTimeInMillis: () => 0 })).rejects.toThrow('failed');

    expect(published()).toMatchObject({ [metricNames.written]: 3 });
  });

  test('publishes at once how often messages came, because an invocation that times out does not flush', () => {
    const { rule, root } = report;
    const message = { rule, root, cause: 'changed', attempts: 0 } as const;
    const said = telemetry();
    said.receivedAgain([
      { id: 'm1', receives: 2, message: { ...message, ...{ item: { email: { S: content } } } } },
      { id: 'm2', receives: 7, message: undefined },
    ]);

    expect(published()).toMatchObject({ [metricNames.receives]: 7 });
    expect(spoken().filter((line) => line['message'] === 'received again')).toEqual([
      expect.objectContaining({ level: 'WARN', record: 'm1', receives: 2, rule, root }),
      expect.objectContaining({ level: 'WARN', record: 'm2', receives: 7 }),
    ]);
    expect(lines.join('\n')).not.toContain(content);
    expect(lines.join('\n')).not.toContain(metricNames.failed);
  });

  test('publishes nothing if nothing was counted', () => {
    telemetry().flush();

    expect(lines).toEqual([]);
  });

  test('logs drifted copies and publishes their number, zero included', () => {
    const one = telemetry();
    one.drifted({
      ...{ kind: 'orphan', rule: 'username-on-memberships', copy: { pk: 'SERVER#1', sk: 'USER#1' } },
      ...{ attributes: [], unmapped: [] },
    });
    one.verified({ items: 20, copies: 12, drift: 0, finished: true });
    one.flush();

    expect(spoken()).toContainEqual(
      expect.objectContaining({ message: 'drift', kind: 'orphan', copy: { pk: 'SERVER#1', sk: 'USER#1' } }),
    );
    expect(published()).toMatchObject({ [metricNames.verified]: 12, [metricNames.drift]: 0 });
  });
});
