import pLimit from 'p-limit';
import { FatalError } from '../../model/basics/errors.ts';
import type { TelemetryPort } from '../ports.ts';

/** Work that fails marks its records as failed; other work continues. */
export class BatchWork {
  private readonly started = new Set<string>();
  private readonly failures = new Map<string, unknown>();
  private readonly limit: ReturnType<typeof pLimit>;
  private readonly telemetry: TelemetryPort;

  constructor(concurrency: number, telemetry: TelemetryPort) {
    this.limit = pLimit(concurrency);
    this.telemetry = telemetry;
  }

  /** Undefined if `plan` throws: its records are marked as failed. */
  plan<Plan>(ids: readonly string[], plan: () => Plan): Plan | undefined {
    try {
      return plan();
    } catch (error) {
      this.fail(ids, error);
      return undefined;
    }
  }

  /** Never rejects. */
  run(ids: readonly string[], work: () => Promise<void>): Promise<void> {
    for (const id of ids) this.started.add(id);
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
   * @throws FatalError if none of the work could be done, now or later
   */
  outcome(): ReadonlyMap<string, unknown> {
    const fatal = [...this.started].map((id) => this.failures.get(id)).filter(isFatal);
    if (fatal[0] !== undefined && fatal.length === this.started.size) throw fatal[0];
    return this.failures;
  }

  private fail(ids: readonly string[], error: unknown): void {
    this.telemetry.failed(error);
    for (const id of ids) if (!isFatal(this.failures.get(id))) this.failures.set(id, error);
  }
}

function isFatal(error: unknown): error is FatalError {
  return error instanceof FatalError;
}
