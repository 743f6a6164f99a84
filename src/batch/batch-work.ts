import pLimit from 'p-limit';
import { FatalError } from '../model/errors.ts';
import type { TelemetryPort } from '../ports.ts';

/**
 * Runs the work of a batch concurrently, up to a limit. Work that fails marks its records as failed; other work continues.
 */
export class BatchWork {
  private readonly failures = new Map<string, unknown>();
  private fatal: FatalError | undefined;
  private readonly limit: ReturnType<typeof pLimit>;
  private readonly telemetry: TelemetryPort;

  constructor(concurrency: number, telemetry: TelemetryPort) {
    this.limit = pLimit(concurrency);
    this.telemetry = telemetry;
  }

  /** Plans work for these records. If `plan` throws, they are marked as failed and the result is undefined. */
  plan<Plan>(ids: readonly string[], plan: () => Plan): Plan | undefined {
    try {
      return plan();
    } catch (error) {
      this.fail(ids, error);
      return undefined;
    }
  }

  /** Runs one piece of work for these records. Never rejects. */
  run(ids: readonly string[], work: () => Promise<void>): Promise<void> {
    return this.limit(async () => {
      try {
        await work();
      } catch (error) {
        this.fail(ids, error);
      }
    });
  }

  /**
   * The records that failed, with their errors.
   * @throws FatalError if no record could be processed
   */
  outcome(): ReadonlyMap<string, unknown> {
    if (this.fatal !== undefined) throw this.fatal;
    return this.failures;
  }

  private fail(ids: readonly string[], error: unknown): void {
    this.telemetry.failed(error);
    if (error instanceof FatalError) this.fatal ??= error;
    for (const id of ids) this.failures.set(id, error);
  }
}
