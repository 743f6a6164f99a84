/**
 * The one machine of three commands:
 *
 *   verify    a scan, or one root ──> drift, seen twice ──> listed
 *   repair    the same ─────────────> drift ──────────────> propagations, then counted
 *   backfill  a scan, or one root ──> every root of a rule > propagations, then counted
 *
 * They share the options, the resume point and the report.
 */
import { memberIndexes } from '../../model/aggregate.ts';
import { backfill } from '../../operate/drift/backfill.ts';
import { postponedOf } from '../../operate/drift/repair.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { Found } from '../../worker/verify/drift.ts';
import { repairPasses } from '../../worker/verify/repair-order.ts';
import { isPassed, type VerifyState, verifyFrom } from '../../worker/verify/verify-state.ts';
import { type Told, verifyTable } from '../../worker/verify/verify-table.ts';
import { UsageError } from '../errors.ts';
import { progressBar, warn } from '../output/terminal.ts';
import { number } from '../output/text.ts';
import type { DriftOptions } from './options.ts';
import { type DriftCommand, DriftReport, driftProgressSchema } from './report.ts';
import { resumePath, resumePoint } from './resume-point.ts';
import { type DriftRun, firstPoint, searchOf } from './search.ts';
import { backfillRoot, searchRoot } from './search-root.ts';
import { TypeRemarks } from './type-remarks.ts';
import { type DriftWork, withDriftWork } from './work.ts';

/** Maximum number of segments scanned in parallel. */
const segmentsAtOnce = 4;

/** @throws UsageError if the options contradict each other, the rules or the table */
export async function runDrift(command: DriftCommand, options: DriftOptions): Promise<void> {
  if (command === 'backfill' && options.rule === undefined)
    throw new UsageError('usage.rule', 'Expected --rule NAME, got none: name the rule to backfill');
  const report = new DriftReport(command, options);
  const writes = command === 'verify' ? 'nothing' : options.dryRun ? report.wouldWrite : 'for good';
  await withDriftWork(options, writes, async (work) => {
    if (command === 'backfill') refuseBuilding(work);
    const onDrift = async (found: readonly Found[]) => {
      if (command !== 'verify') return repaired(work, report, found);
      report.list(found);
      return undefined;
    };
    const types = new TypeRemarks(work.registry);
    const run = { work: { ...work, scan: types.watching(work.scan) }, options, report, onDrift };
    const { state, finished, path } = await carriedOut(command, run);
    process.exitCode = report.end(work, state, finished);
    for (const line of types.lines()) warn(line);
    if (finished) return;
    const next = path === undefined ? '' : `; the same command with --resume continues (${path})`;
    warn(`stopped after ${number(state.items)} items${next}`);
  });
}

interface Ended {
  readonly state: VerifyState;
  readonly finished: boolean;
  /** Of the resume point, if there is one. */
  readonly path?: string;
}

async function carriedOut(command: DriftCommand, run: DriftRun): Promise<Ended> {
  const { work, options, report } = run;
  const { root, sample } = options;
  if (root !== undefined) return command === 'backfill' ? backfillRoot(run, root) : searchRoot(run, root);
  const point = resumePointOf(command, run);
  const saved = options.resume ? await point.load() : undefined;
  if (saved !== undefined) report.counts = saved.counts;
  const { rules, aggregates } = work.selected;
  const search = command === 'backfill' ? [] : [...rules, ...aggregates];
  const from = saved?.search ?? verifyFrom(firstPoint(options), search);
  const passes =
    command === 'repair' ? repairPasses({ ...work.registry, ...work.selected }) : [work.selected];
  const expected = work.description.items * (sample ?? 1) * passes.length;
  const bar = progressBar({
    ...{ label: command, unit: 'items' },
    total: Math.max(0, Math.round(expected) - from.items),
  });
  let items = from.items;
  const isAtLimit = () => items - from.items >= (options.limit ?? Number.POSITIVE_INFINITY);
  const scan = {
    ...{ scan: work.scan, budget: work.reads, clock: systemClock, concurrency: segmentsAtOnce, passes },
    stop: () => work.interruption.asked() || isAtLimit(),
    onState(search: VerifyState) {
      items = search.items;
      bar.update(items - from.items, report.progress(search));
      return point.keep({ search, counts: report.counts });
    },
  };
  try {
    const state =
      command === 'backfill'
        ? await backfill({ ...scan, ...backfillOf(run) }, from)
        : await verifyTable({ ...searchOf(run), ...scan, stopLooking: work.interruption.asked }, from);
    const finished = isPassed(state);
    await (finished ? point.clear() : point.keepNow({ search: state, counts: report.counts }));
    return { state, finished, path: point.path };
  } finally {
    bar.stop();
  }
}

function backfillOf({ work, report }: DriftRun) {
  const [rule] = [...work.selected.rules, ...work.selected.aggregates];
  if (rule === undefined) throw new Error('Expected a rule to backfill');
  const { propagations, registry } = work;
  return { rule, propagations, table: registry.table, onOutcome: report.did };
}

/** Repairs drift. It is counted, and listed if it needs a person, when the search moves past it. */
async function repaired(work: DriftWork, report: DriftReport, found: readonly Found[]): Promise<Told> {
  const drifts = found.map(({ drift }) => drift);
  const outcome = await work.propagations.repair(drifts);
  const postponed = postponedOf(drifts, outcome.unfinished);
  return {
    postponed,
    moved() {
      report.did(outcome);
      report.list(found.filter(({ drift }) => !postponed.includes(drift)));
    },
  };
}

function resumePointOf(command: DriftCommand, { work, options }: DriftRun) {
  const { rule, sample, allOrphans, dryRun, allowRemove } = options;
  const identity = {
    ...{ 'the table': work.description.arn, 'the rules': work.digest },
    '--rule': rule ?? 'none',
    '--sample': sample === undefined ? 'none' : `${sample * 100}%`,
    '--all-orphans': String(allOrphans === true),
    '--dry-run': String(dryRun === true),
    '--allow-remove': String(allowRemove === true),
  };
  return resumePoint(resumePath(command, work.where.tableName), driftProgressSchema, identity);
}

/** @throws UsageError `usage.index` if the rule's index is still being built */
function refuseBuilding({ description, where, selected }: DriftWork): void {
  const indexes = [
    ...selected.rules.flatMap(({ located }) => (located.in === 'index' ? [located.index] : [])),
    ...selected.aggregates.flatMap(memberIndexes),
  ];
  const building = indexes.find((index) => description.building.includes(index.name));
  if (building === undefined) return;
  throw new UsageError(
    'usage.index',
    `Expected index ${building.name} of table ${where.tableName} to be complete, but DynamoDB is still building it and a backfill would miss items: wait until it is ACTIVE`,
  );
}
