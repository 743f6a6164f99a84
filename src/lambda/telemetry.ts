import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { DenormError } from '../model/errors.ts';
import type { Parked } from '../model/message.ts';
import type { TelemetryPort } from '../ports.ts';
import type { SweepTelemetryPort } from '../archive/sweep/sweep-context.ts';
import type { VerifyTelemetryPort } from '../drift/verify-sample.ts';

/**
 * The metrics of this worker, as they stand in CloudWatch. All are counts but `ChangeAge`, in milliseconds, and
 * `SweepPassAge`, in seconds.
 */
export const metricNames = {
  written: 'CopiesWritten',
  removed: 'CopiesRemoved',
  unchanged: 'CopiesUnchanged',
  lost: 'WritesLostAndRetried',
  checked: 'CopiesChecked',
  mended: 'CopiesMendedByCheck',
  orphans: 'Orphans',
  parked: 'Parked',
  deferred: 'Deferred',
  narrowed: 'GuardsNarrowed',
  archived: 'ItemsArchived',
  failed: 'RequestsFailed',
  age: 'ChangeAge',
  swept: 'ItemsSwept',
  unjudged: 'ItemsUnjudged',
  passAge: 'SweepPassAge',
  verified: 'CopiesVerified',
  drift: 'DriftFound',
} as const;

/** Logs and counts what the worker does: keys, rules, causes, counts and codes, never item content. */
export class LambdaTelemetry implements TelemetryPort, SweepTelemetryPort, VerifyTelemetryPort {
  private readonly logger: Logger;
  private readonly metrics: Metrics;
  private failures = 0;

  constructor(logger = new Logger(), metrics = new Metrics()) {
    this.logger = logger;
    this.metrics = metrics;
  }

  turned(report: Parameters<TelemetryPort['turned']>[0]): void {
    this.logger.info('turn', { ...report });
    const { written, removed, unchanged, lost, orphans, deferred, narrowed, changedAt } = report;
    this.count({
      written,
      removed,
      unchanged,
      lost,
      orphans,
      deferred,
      narrowed,
      mended: report.cause === 'check' ? written : 0,
    });
    if (changedAt !== undefined && written + removed > 0)
      this.add(metricNames.age, MetricUnit.Milliseconds, Math.max(0, Date.now() - changedAt));
  }

  checked({ copies, differing, orphans }: Parameters<TelemetryPort['checked']>[0]): void {
    this.logger.debug('check', { copies, differing, orphans });
    this.count({ checked: copies, orphans });
  }

  parked({ code, reason, record, message }: Parked): void {
    this.logger.error('parked', { code, reason, record, turn: message });
    this.count({ parked: 1 });
  }

  archived(report: Parameters<TelemetryPort['archived']>[0]): void {
    this.logger.info('archive', { ...report });
    this.count({ archived: report.outcome === 'stored' || report.outcome === 'final' ? 1 : 0 });
  }

  swept(report: Parameters<SweepTelemetryPort['swept']>[0]): void {
    this.logger.info('sweep', { ...report });
    const kinds = Object.values(report.kinds);
    const swept = kinds.reduce((sum, counts) => sum + counts.swept, 0);
    this.count({ swept, archived: report.stored, narrowed: report.narrowed });
    // None is said too: it ends the alarm.
    const unjudged = kinds.reduce((sum, counts) => sum + counts.unjudged, 0);
    this.add(metricNames.unjudged, MetricUnit.Count, unjudged);
    const age = report.finished ? 0 : (report.at - report.started) / 1000;
    this.add(metricNames.passAge, MetricUnit.Seconds, age);
  }

  unjudged(item: Parameters<SweepTelemetryPort['unjudged']>[0]): void {
    this.logger.warn('unjudged', { ...item });
  }

  drifted(drift: Parameters<VerifyTelemetryPort['drifted']>[0]): void {
    this.logger.warn('drift', { ...drift });
  }

  verified(report: Parameters<VerifyTelemetryPort['verified']>[0]): void {
    this.logger.info('verify', { ...report });
    this.count({ verified: report.copies });
    // None is said too: it ends the alarm.
    this.add(metricNames.drift, MetricUnit.Count, report.drift);
  }

  failed(error: unknown): void {
    this.logger.warn('failed', { ...described(error) });
    this.failures += 1;
  }

  /**
   * Writes out what was counted. Call once at the end of an invocation: how much failed in it is one value, zero included, so
   * that the average over a minute is a rate.
   */
  flush(): void {
    if (this.failures > 0 || this.metrics.hasStoredMetrics())
      this.add(metricNames.failed, MetricUnit.Count, this.failures);
    this.failures = 0;
    if (this.metrics.hasStoredMetrics()) this.metrics.publishStoredMetrics();
  }

  private count(counts: Partial<Record<keyof typeof metricNames, number>>): void {
    for (const name of Object.keys(metricNames).filter(
      (key): key is keyof typeof metricNames => key in metricNames,
    )) {
      const count = counts[name];
      if (count !== undefined && count > 0) this.add(metricNames[name], MetricUnit.Count, count);
    }
  }

  /**
   * Adds a value, and has its line pass Lambda's log filter, which takes a line without a level or a timestamp for INFO and
   * drops it at `LogLevel` WARN and ERROR. Set each time, because Powertools writes out by itself at 100 values of one
   * metric, and forgets it then. Source: Lambda Developer Guide, "Log-level filtering".
   */
  private add(name: string, unit: (typeof MetricUnit)[keyof typeof MetricUnit], value: number): void {
    this.metrics.addMetadata('level', 'ERROR').addMetadata('timestamp', new Date().toISOString());
    this.metrics.addMetric(name, unit, value);
  }
}

/** What may be said of an error: its name and code, and a message only where it is one of ours, which never holds content. */
function described(error: unknown): Record<string, unknown> {
  if (error instanceof DenormError)
    return { error: error.name, code: error.code, reason: error.message, rule: error.rule, key: error.key };
  return { error: error instanceof Error ? error.name : typeof error };
}
