import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { LambdaTelemetry, metricNames } from '../../src/lambda/telemetry.ts';
import { TransientError } from '../../src/model/errors.ts';
import type { PropagationReport } from '../../src/model/report.ts';
import { content, sdkError, tellingErrors } from '../suites/telling-errors.ts';

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
  changedAt: Date.now() - 500,
};

let lines: string[] = [];

/** Telemetry as a function has it; what it says is caught on its way out, as CloudWatch would get it. */
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
  lines = [];
  for (const channel of ['log', 'info', 'debug', 'warn', 'error'] as const)
    vi.spyOn(console, channel).mockImplementation((line: unknown) => void lines.push(String(line)));
  // Powertools has a console of its own, which writes to the streams.
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      lines.push(
        ...String(chunk)
          .split('\n')
          .filter((line) => line.startsWith('{')),
      );
      return true;
    });
  return () => vi.restoreAllMocks();
});

describe('telemetry', () => {
  test('counts the statements that fell back, and logs them once a batch: rule, code and count', () => {
    const said = telemetry();
    const statements = [
      { rule: 'a', code: 'ValidationError', statements: 24 },
      { rule: 'b', code: 'ValidationError', statements: 1 },
    ];
    said.fellBack(statements);
    said.flush();

    expect(published()).toMatchObject({ [metricNames.fellBack]: 25 });
    expect(spoken().filter(({ message }) => message === 'fell back')).toEqual([
      expect.objectContaining({ level: 'WARN', statements }),
    ]);
  });

  test('counts what a propagation did, and how old the change was when its copies stood', () => {
    const said = telemetry();
    said.propagated(report);
    said.flush();

    expect(published()).toMatchObject({
      [metricNames.written]: 3,
      [metricNames.unchanged]: 2,
      [metricNames.lost]: 1,
      [metricNames.requeued]: 1,
    });
    expect(published()[metricNames.age]).toBeGreaterThanOrEqual(500);
    expect(published()).not.toHaveProperty(metricNames.corrected);
  });

  test('counts what a check mended apart', () => {
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

  test('counts and tells what was dead-lettered, with its code and key', () => {
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

  test('passes on of an error of ours what it says, and of any other only its name', () => {
    const said = telemetry();
    said.failed(new TransientError('dynamodb.throttled', 'Throttled', { key: report.root }));
    said.failed(new TypeError('Cannot read secret of {"email":"john@example.com"}'));
    said.flush();

    expect(lines.join('\n')).toContain('dynamodb.throttled');
    expect(lines.join('\n')).toContain('TypeError');
    expect(lines.join('\n')).not.toContain('john@example.com');
    expect(published()).toMatchObject({ [metricNames.failed]: 2 });
  });

  test('says of each invocation how much failed in it, zero included: the average is a rate', () => {
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

  test.each(tellingErrors())('repeats nothing of an item that an error of %s quotes', (_, error) => {
    const said = telemetry();
    said.failed(error);
    said.flush();

    expect(lines.join('\n')).toContain('failed');
    expect(lines.join('\n')).not.toContain(content);
  });

  test('leaves out of a dead letter, and of what drifted, all that only its cause says', () => {
    const said = telemetry();
    const odd = Object.assign({ code: 'copy.odd', reason: 'The copy is odd' }, { cause: sdkError() });
    said.deadLettered(odd);

    expect(lines.join('\n')).toContain('copy.odd');
    expect(lines.join('\n')).not.toContain(content);
  });

  test('leaves out, in every method, what a report carries beside its own fields', () => {
    const said = telemetry();
    const telling = { error: sdkError(), item: { email: { S: content } }, [content]: 1 };
    const key = report.root;
    said.propagated({ ...report, ...telling });
    said.checked({ ...{ copies: 1, differing: 1, orphans: 0 }, ...telling });
    said.deadLettered({ ...{ code: 'copy.odd', reason: 'The copy is odd', record: '1' }, ...telling });
    said.fellBack([{ ...{ rule: 'a', code: 'ValidationError', statements: 1 }, ...telling }]);
    said.archived({ ...{ kind: 'Order', key, objectKey: 'o', outcome: 'stored' }, ...telling });
    said.swept({
      ...{ rule: 'archive-orders', looked: 1, kinds: {}, stored: 0, narrowed: 0, readUnits: 1 },
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
    for (const line of ['propagated', 'checked', 'dead-lettered', 'fell back', 'archived', 'swept'])
      expect(logged).toContain(line);
    for (const line of ['unclassified', 'drift', 'verified', 'failed']) expect(logged).toContain(line);
    expect(lines.join('\n')).not.toContain(content);
  });

  test('tells of a sweep in counts, how old its pass is, and that there was nothing that it could not judge', () => {
    const counts = { swept: 2, expiring: 1, restored: 0, changed: 0, unclassified: 0 };
    const said = telemetry();
    said.swept({
      ...{ rule: 'archive-orders', looked: 9, kinds: { Order: counts, OrderItem: counts }, stored: 4 },
      ...{ narrowed: 0, readUnits: 7, writeUnits: 9, finished: false, started: 1_000, at: 61_000 },
    });
    said.flush();

    expect(published()).toMatchObject({
      [metricNames.swept]: 4,
      [metricNames.archived]: 4,
      [metricNames.unclassified]: 0,
      [metricNames.passAge]: 60,
    });
  });

  test('says of an item that cannot be judged its key and why', () => {
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

  test('publishes nothing where nothing was counted', () => {
    telemetry().flush();

    expect(lines).toEqual([]);
  });

  test('says which copies have drifted, and how many, none included', () => {
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
