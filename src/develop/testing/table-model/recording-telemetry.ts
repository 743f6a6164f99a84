import type { DeadLetter } from '../../../model/message.ts';
import type { ArchiveReport, PropagationReport } from '../../../model/report.ts';
import type { TelemetryPort } from '../../../worker/ports.ts';

type Checked = Parameters<TelemetryPort['checked']>[0];

export class RecordingTelemetry implements TelemetryPort {
  readonly propagations: PropagationReport[] = [];
  readonly checks: Checked[] = [];
  readonly deadLetters: DeadLetter[] = [];
  readonly archivings: ArchiveReport[] = [];
  readonly failures: unknown[] = [];

  propagated(report: PropagationReport): void {
    this.propagations.push(report);
  }

  checked(counts: Checked): void {
    this.checks.push(counts);
  }

  deadLettered(deadLettered: DeadLetter): void {
    this.deadLetters.push(deadLettered);
  }

  archived(report: ArchiveReport): void {
    this.archivings.push(report);
  }

  failed(error: unknown): void {
    this.failures.push(error);
  }
}
