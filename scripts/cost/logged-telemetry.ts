import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaTelemetry } from '../../src/lambda/telemetry.ts';
import type { TelemetryPort } from '../../src/ports.ts';
import type { Counts } from './counts.ts';

/** What CloudWatch Logs adds to each line that it bills. Source: AWS, "PutLogEvents". */
const bytesOfAnEvent = 26;

/** The functions' own telemetry at `LogLevel=INFO`; its lines are counted, and not shown. */
export class LoggedTelemetry extends LambdaTelemetry {
  private readonly counts: Counts;

  constructor(counts: Counts) {
    const serviceName = 'propagate';
    const logger = new Logger({ serviceName, logLevel: 'INFO' });
    super(logger, new Metrics({ serviceName, namespace: 'denorm/production' }));
    this.counts = counts;
  }

  override propagated(report: Parameters<TelemetryPort['propagated']>[0]): void {
    this.counting(() => super.propagated(report));
  }

  /** Does what a handler does around a batch. @throws Error where anything of it failed, which no workload should */
  async invocation(work: () => Promise<ReadonlyMap<string, unknown>>): Promise<void> {
    const failures = await work();
    if (failures.size > 0) throw new Error('Expected a workload of which nothing fails');
    this.counting(() => this.flush());
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
