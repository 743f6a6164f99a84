import { systemClock } from '../../worker/adapters/system-clock.ts';
import { type ScanPoint, sampleOf, wholeTable } from '../../worker/scan/scan-table.ts';
import type { Search } from '../../worker/verify/verify-table.ts';
import type { DriftOptions } from './options.ts';
import type { DriftReport } from './report.ts';
import type { DriftWork } from './work.ts';

/** A command that is running: what it works on, and what becomes of the drift that it finds. */
export interface DriftRun {
  readonly work: DriftWork;
  readonly options: DriftOptions;
  readonly report: DriftReport;
  readonly onDrift: Search['onDrift'];
}

/** The parameters of a search for drift. */
export function searchOf(
  { work, options, onDrift }: DriftRun,
  selected: DriftWork['selected'] = work.selected,
): Search {
  return {
    ...{ registry: work.registry, table: work.table, clock: systemClock, stop: work.interruption.asked },
    ...selected,
    orphans: options.allOrphans === true ? 'all' : 'unexplained',
    grace: (options.grace ?? 0) * 1000,
    onDrift,
  };
}

/** The starting point of a scan of the whole table or of a sample. */
export function firstPoint({ sample, segments }: DriftOptions): ScanPoint {
  return sample === undefined ? wholeTable(segments) : sampleOf(sample, Math.random);
}
