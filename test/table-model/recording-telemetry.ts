import type { Parked } from '../../src/model/message.ts';
import type { ArchiveReport, TurnReport } from '../../src/model/report.ts';
import type { TelemetryPort } from '../../src/ports.ts';

type Checked = Parameters<TelemetryPort['checked']>[0];

/** Remembers all that it is told. */
export class RecordingTelemetry implements TelemetryPort {
  readonly turns: TurnReport[] = [];
  readonly checks: Checked[] = [];
  readonly parkings: Parked[] = [];
  readonly archivings: ArchiveReport[] = [];
  readonly failures: unknown[] = [];

  turned(report: TurnReport): void {
    this.turns.push(report);
  }

  checked(counts: Checked): void {
    this.checks.push(counts);
  }

  parked(parked: Parked): void {
    this.parkings.push(parked);
  }

  archived(report: ArchiveReport): void {
    this.archivings.push(report);
  }

  failed(error: unknown): void {
    this.failures.push(error);
  }
}
