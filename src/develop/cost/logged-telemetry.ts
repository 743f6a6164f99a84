import { namedTelemetry } from '../../worker/lambda/telemetry.ts';
import type { TelemetryPort } from '../../worker/ports.ts';
import type { Counts } from './counts.ts';

/** What CloudWatch Logs adds to each line that it bills. Source: AWS, "PutLogEvents". */
const bytesOfAnEvent = 26;

/** The functions' own telemetry at `LogLevel=INFO`; its lines are counted, and not shown. */
export class LoggedTelemetry implements TelemetryPort {
  /** What failed, which no counted change should. */
  readonly failures: unknown[] = [];
  private readonly inner = namedTelemetry('propagate', 'denorm/production');
  private readonly counts: Counts;

  constructor(counts: Counts) {
    this.counts = counts;
  }

  propagated(report: Parameters<TelemetryPort['propagated']>[0]): void {
    this.counting(() => this.inner.propagated(report));
  }

  checked(report: Parameters<TelemetryPort['checked']>[0]): void {
    this.counting(() => this.inner.checked(report));
  }

  fellBack(statements: Parameters<TelemetryPort['fellBack']>[0]): void {
    this.counting(() => this.inner.fellBack(statements));
  }

  deadLettered(): void {}

  archived(): void {}

  failed(error: unknown): void {
    this.failures.push(error);
  }

  /** Does what a handler does around a batch. */
  async invocation(work: () => Promise<ReadonlyMap<string, unknown>>): Promise<void> {
    const failures = await work();
    this.failures.push(...failures.values());
    this.counting(() => this.inner.flush());
  }

  /** Counts the output meanwhile: Powertools has a console of its own, which writes to standard output. */
  private counting(write: () => void): void {
    const shown = process.stdout.write;
    process.stdout.write = (chunk) => {
      this.counts.logBytes += Buffer.byteLength(chunk) + bytesOfAnEvent;
      return true;
    };
    try {
      write();
    } finally {
      process.stdout.write = shown;
    }
  }
}
