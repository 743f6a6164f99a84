import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { DenormError, stackPlaces } from '../../model/basics/errors.ts';
import type { DeadLetter } from '../../model/work/message.ts';
import { isStored, type Received } from '../../model/work/report.ts';
import type { SweepTelemetryPort } from '../archive/sweep/sweep-context.ts';
import type { HeartbeatReport } from '../heartbeat.ts';
import type { TelemetryPort } from '../ports.ts';
import type { VerifyTelemetryPort } from '../verify/verify-sample.ts';

/**
 * All are counts, except `ChangeAge` and `MessageWait` (milliseconds), `SweepPassAge`, `UnavailableAge`, `BeatOverdue`,
 * `BeatRoundTrip` and `PauseAge` (seconds), and `FanOutPace` (write units a second).
 */
export const metricNames = {
  written: 'CopiesWritten',
  removed: 'CopiesRemoved',
  unchanged: 'CopiesUnchanged',
  lost: 'ConditionsLost',
  checked: 'CopiesChecked',
  corrected: 'CopiesCorrectedByCheck',
  orphans: 'Orphans',
  deadLettered: 'DeadLettered',
  requeued: 'Requeued',
  narrowed: 'GuardsNarrowed',
  skipped: 'MembersSkipped',
  absent: 'TargetsAbsent',
  throttled: 'WritesThrottled',
  pace: 'FanOutPace',
  archived: 'ItemsArchived',
  failed: 'RequestsFailed',
  age: 'ChangeAge',
  swept: 'ItemsSwept',
  unclassified: 'ItemsUnclassified',
  passAge: 'SweepPassAge',
  verified: 'CopiesVerified',
  drift: 'DriftFound',
  nearlyOfKind: 'ItemsNearlyOfKind',
  receives: 'MessageReceives',
  wait: 'MessageWait',
  unavailable: 'UnavailableAge',
  overdue: 'BeatOverdue',
  beatsLost: 'BeatsLost',
  trip: 'BeatRoundTrip',
  pauseAge: 'PauseAge',
} as const;

/** Of `MessageWait`, beside `service`. Each rule costs as much as any metric. */
export const ruleDimension = 'rule';

/** Other fields of a value could contain an item. */
type LoggedFields<Port, Reporting extends keyof Port> = {
  readonly [Name in Reporting]: Port[Name] extends (report: infer Report) => void
    ? Readonly<Record<keyof Report & string, true>>
    : never;
};

const loggedFields: LoggedFields<TelemetryPort, 'propagated' | 'archived'> = {
  propagated: {
    rule: true,
    root: true,
    cause: true,
    recheck: true,
    changedAt: true,
    pace: true,
    written: true,
    removed: true,
    unchanged: true,
    lost: true,
    orphans: true,
    foreign: true,
    deadLettered: true,
    requeued: true,
    requeuedFor: true,
    narrowed: true,
    skipped: true,
    absent: true,
  },
  archived: { kind: true, key: true, objectKey: true, outcome: true },
};

type ScheduledPort = SweepTelemetryPort & VerifyTelemetryPort;

const loggedFieldsOfScheduled: LoggedFields<
  ScheduledPort,
  'swept' | 'unclassified' | 'drifted' | 'verified'
> = {
  swept: {
    rule: true,
    looked: true,
    kinds: true,
    stored: true,
    readUnits: true,
    writeUnits: true,
    finished: true,
    started: true,
    at: true,
  },
  unclassified: { rule: true, kind: true, key: true, code: true, reason: true },
  drifted: {
    kind: true,
    rule: true,
    copy: true,
    root: true,
    attributes: true,
    unmapped: true,
    isOfEntry: true,
    concerns: true,
    code: true,
    reason: true,
  },
  verified: {
    items: true,
    copies: true,
    drift: true,
    finished: true,
    waiting: true,
    queue: true,
    ofNoKind: true,
    unmatched: true,
    uncompared: true,
    nearlyOfKind: true,
    paused: true,
  },
};

function logged(fields: object, report: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(report).filter(([field]) => Object.hasOwn(fields, field)));
}

/** Keys, rules, causes, counts and codes, never item content. */
export class LambdaTelemetry implements TelemetryPort {
  protected readonly logger: Logger;
  protected readonly metrics: Metrics;
  private failures = 0;

  constructor(logger = new Logger(), metrics = new Metrics()) {
    this.logger = logger;
    this.metrics = metrics;
  }

  propagated(report: Parameters<TelemetryPort['propagated']>[0]): void {
    this.logger.info('propagated', logged(loggedFields.propagated, report));
    const { cause, written, removed, pace, changedAt } = report;
    const corrected = cause === 'check' ? written : 0;
    // A dead letter is counted where it is sent.
    this.count({ ...report, deadLettered: 0, throttled: pace?.throttled, corrected });
    if (pace !== undefined) this.add(metricNames.pace, MetricUnit.CountPerSecond, pace.unitsPerSecond);
    if (changedAt !== undefined && written + removed > 0)
      this.add(metricNames.age, MetricUnit.Milliseconds, Math.max(0, Date.now() - changedAt));
  }

  checked({ copies, differing, orphans }: Parameters<TelemetryPort['checked']>[0]): void {
    this.logger.debug('checked', { copies, differing, orphans });
    this.count({ checked: copies, orphans });
  }

  deadLettered({ code, reason, record, about, message }: DeadLetter): void {
    const where = { rule: about?.rule, key: about?.key, record };
    this.logger.error('dead-lettered', { code, reason, ...where, propagation: message });
    this.count({ deadLettered: 1 });
  }

  /** Published at once: an invocation that times out writes nothing later. */
  received(messages: readonly Received[]): void {
    const again = messages.filter(({ receives }) => receives > 1);
    for (const { id, receives, message } of again)
      this.logger.warn('received again', { record: id, receives, rule: message?.rule, root: message?.root });
    if (again.length > 0)
      this.add(metricNames.receives, MetricUnit.Count, Math.max(...again.map(({ receives }) => receives)));
    // Of each message as it came: merged, several have the age of the youngest.
    const refused = messages.flatMap(({ message }) => message?.unavailableSince ?? []);
    if (refused.length > 0)
      this.add(metricNames.unavailable, MetricUnit.Seconds, secondsSince(Math.min(...refused)));
    if (this.metrics.hasStoredMetrics()) this.metrics.publishStoredMetrics();
    const waits = Map.groupBy(messages, ({ rule, waitMs }) => (waitMs === undefined ? undefined : rule));
    for (const [rule, ofRule] of waits) {
      if (rule === undefined) continue;
      this.metrics.addDimension(ruleDimension, rule);
      for (const { waitMs = 0 } of ofRule) this.add(metricNames.wait, MetricUnit.Milliseconds, waitMs);
      this.metrics.publishStoredMetrics();
    }
  }

  archived(report: Parameters<TelemetryPort['archived']>[0]): void {
    this.logger.info('archived', logged(loggedFields.archived, report));
    this.count({ archived: isStored(report) ? 1 : 0 });
  }

  failed(error: unknown): void {
    this.logger.warn('failed', { ...described(error) });
    this.failures += 1;
  }

  /** At the end of each invocation: `RequestsFailed` gets a value each time, even zero, so that its average is a rate. */
  flush(): void {
    if (this.failures > 0 || this.metrics.hasStoredMetrics())
      this.add(metricNames.failed, MetricUnit.Count, this.failures);
    this.failures = 0;
    if (this.metrics.hasStoredMetrics()) this.metrics.publishStoredMetrics();
  }

  protected count(counts: Readonly<Record<string, unknown>>): void {
    for (const [name, metric] of Object.entries(metricNames)) {
      const count = counts[name];
      if (typeof count === 'number' && count > 0) this.add(metric, MetricUnit.Count, count);
    }
  }

  /**
   * Lambda's log filter treats a line without level and timestamp as INFO and drops it at `LogLevel` WARN and ERROR. They are
   * added each time, because Powertools clears everything once a metric has 100 values. Source: Lambda Developer Guide,
   * "Log-level filtering".
   */
  protected add(name: string, unit: (typeof MetricUnit)[keyof typeof MetricUnit], value: number): void {
    this.metrics.addMetadata('level', 'ERROR').addMetadata('timestamp', new Date().toISOString());
    this.metrics.addMetric(name, unit, value);
  }
}

/** For Sweep and Verify, so that the bundles of the other functions leave it out. */
export class ScheduledTelemetry extends LambdaTelemetry implements SweepTelemetryPort, VerifyTelemetryPort {
  swept(report: Parameters<SweepTelemetryPort['swept']>[0]): void {
    this.logger.info('swept', logged(loggedFieldsOfScheduled.swept, report));
    const kinds = Object.values(report.kinds);
    const swept = kinds.reduce((sum, counts) => sum + counts.swept, 0);
    this.count({ swept, archived: report.stored });
    // Zero is published as well, because it ends the alarm.
    const unclassified = kinds.reduce((sum, counts) => sum + counts.unclassified, 0);
    this.add(metricNames.unclassified, MetricUnit.Count, unclassified);
    const age = report.finished ? 0 : (report.at - report.started) / 1000;
    this.add(metricNames.passAge, MetricUnit.Seconds, age);
  }

  unclassified(item: Parameters<SweepTelemetryPort['unclassified']>[0]): void {
    this.logger.warn('unclassified', logged(loggedFieldsOfScheduled.unclassified, item));
  }

  drifted(drift: Parameters<VerifyTelemetryPort['drifted']>[0]): void {
    this.logger.warn('drift', logged(loggedFieldsOfScheduled.drifted, drift));
  }

  verified(report: Parameters<VerifyTelemetryPort['verified']>[0]): void {
    const { items, copies, nearlyOfKind } = report;
    // A run that looked at nothing says little of the table.
    const level = items === 0 || nearlyOfKind.length > 0 ? 'warn' : 'info';
    this.logger[level]('verified', logged(loggedFieldsOfScheduled.verified, report));
    this.count({ verified: copies, nearlyOfKind: nearlyOfKind.reduce((sum, one) => sum + one.items, 0) });
    // Zero is published as well, because it ends the alarm.
    this.add(metricNames.drift, MetricUnit.Count, report.drift);
  }
}

/** How long a beat may be overdue before a log line warns of it, in seconds. */
const overdueAtSeconds = 300;

/** For Heartbeat. CloudWatch charges for each metric, so it publishes no count of failed requests. */
export class HeartbeatTelemetry extends LambdaTelemetry {
  /** Zero is published as well, because it ends the alarm. */
  beaten({ paths, paused, oldestPauseSeconds }: HeartbeatReport): void {
    const overdue = Math.max(0, ...paths.map(({ overdueSeconds }) => overdueSeconds));
    const lost = paths.reduce((sum, path) => sum + path.lost.length, 0);
    const trips = paths.flatMap(({ tripSeconds }) => tripSeconds ?? []);
    this.logger[overdue > overdueAtSeconds || lost > 0 ? 'warn' : 'info']('heartbeat', { paths, paused });
    this.add(metricNames.overdue, MetricUnit.Seconds, overdue);
    this.add(metricNames.beatsLost, MetricUnit.Count, lost);
    if (trips.length > 0) this.add(metricNames.trip, MetricUnit.Seconds, Math.max(...trips));
    this.add(metricNames.pauseAge, MetricUnit.Seconds, oldestPauseSeconds);
  }

  override flush(): void {
    if (this.metrics.hasStoredMetrics()) this.metrics.publishStoredMetrics();
  }
}

/** @param at in epoch milliseconds, of another computer's clock */
function secondsSince(at: number): number {
  return Math.max(0, Math.round((Date.now() - at) / 1000));
}

const maxPlaces = 10;

/** A DenormError's message never contains item content; of any other error, its name and the places of its stack. */
function described(error: unknown): Record<string, unknown> {
  if (error instanceof DenormError)
    return { error: error.name, code: error.code, reason: error.message, rule: error.rule, key: error.key };
  if (!(error instanceof Error)) return { error: typeof error };
  return { error: error.name, at: stackPlaces(error).slice(0, maxPlaces) };
}
