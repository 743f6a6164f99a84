/**
 * The one machine of three commands:
 *
 *   verify    a scan ──────────────> drift, seen twice ───> listed
 *   repair    a scan ──────────────> drift, seen twice ───> propagations, then counted
 *   backfill  a scan, or one root ─> every root of a rule > propagations, then counted
 *
 * They share the options, the resume point and the report.
 */
import { type Command, Option } from 'commander';
import { memberIndexes } from '../../model/rules/aggregate.ts';
import { nothingPaused, type Pauses } from '../../model/rules/pauses.ts';
import { backfill } from '../../operate/drift/backfill.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { ScanPort } from '../../worker/ports.ts';
import { sampleOf, wholeTable } from '../../worker/scan/scan-table.ts';
import type { Drift } from '../../worker/verify/drift.ts';
import { repairPasses } from '../../worker/verify/repair-order.ts';
import { isPassed, type VerifyState, verifyFrom } from '../../worker/verify/verify-state.ts';
import { type TableSearch, verifyTable } from '../../worker/verify/verify-table.ts';
import { reportedWork, UsageError } from '../errors.ts';
import { secondsOption, shareOption } from '../options/option-values.ts';
import { withRules } from '../options/rules-in-force.ts';
import { usingTable, withTableOptions } from '../options/services.ts';
import { makeStateFolder, stateDirOf, withState } from '../options/state.ts';
import { withUnits } from '../options/units.ts';
import { withProgress } from '../output/terminal.ts';
import { project } from '../project.ts';
import { type DriftCommand, driftProgressSchema, driftReport } from './report.ts';
import { resumePath, resumePoint } from './resume-point.ts';
import { refuseValuesElsewhere } from './values.ts';
import { type DriftOptions, type DriftWork, driftWork, scanOfRoot } from './work.ts';

export function verifyCommand(command: Command): Command {
  return withSearch(withScan(command))
    .addOption(
      new Option(
        '--show-values',
        'also shows values before and after: item content, on a terminal',
      ).conflicts('json'),
    )
    .action((options: DriftOptions) => runDrift('verify', options));
}

export function repairCommand(command: Command): Command {
  return withWrites(withSearch(withScan(command))).action((options: DriftOptions) =>
    runDrift('repair', options),
  );
}

export function backfillCommand(command: Command): Command {
  return withWrites(withScan(command.usage('--rule <name> [options]')))
    .requiredOption('--rule <name>', 'the rule or aggregate whose roots or targets are propagated; required')
    .addOption(
      new Option('--root <key>', 'only this root or target, without a scan; as JSON').conflicts([
        'sample',
        'resume',
      ]),
    )
    .action((options: DriftOptions) => runDrift('backfill', options));
}

function withScan(command: Command): Command {
  return withUnits(
    withState(withRules(withTableOptions(command)), 'folder of the resume point that Ctrl-C leaves'),
    'rcu',
  )
    .option('--sample <share>', 'only a random share of the table, such as 1%', shareOption)
    .option('--resume', 'continues where the same command, with the same options, stopped')
    .option('--json', 'JSON lines for machines: one for each finding, then a summary')
    .addHelpText(
      'after',
      '\nFindings, costs and examples: docs/operations.md. Exits 1 if drift is left, or nothing was looked at.',
    );
}

function withSearch(command: Command): Command {
  return command
    .option('--rule <name>', 'only this rule or aggregate')
    .option('--grace <seconds>', 'how long a change may take to reach a copy', secondsOption, 5)
    .option('--all-orphans', 'also reports orphans that their rule keeps only on deletion or only on expiry');
}

function withWrites(command: Command): Command {
  return withUnits(command, 'wcu')
    .option(
      '--dry-run',
      'prints writes with their conditions, counts them and their cost, and writes nothing',
    )
    .option('--allow-remove', 'also removes copies, and attributes that no rule names')
    .option('--without-stream', 'writes even if the table has no stream and therefore no worker');
}

/** Parts into which a scan divides the table, and how many of them are read in parallel. */
const segments = 8;
const segmentsAtOnce = 4;

/** @throws UsageError if the options contradict each other, the rules or the table */
async function runDrift(command: DriftCommand, options: DriftOptions): Promise<void> {
  refuseValuesElsewhere(options);
  if (options.root === undefined) makeStateFolder(await stateDirOf(options));
  const report = driftReport(command, options, (await project()).config.table);
  const writes = command === 'verify' ? 'nothing' : options.dryRun ? report.wouldSpend : 'for good';
  await usingTable(options, async (services, interruption) => {
    const work = await driftWork(services, interruption, options, writes);
    if (command === 'backfill') refuseBuilding(work);
    const run: DriftRun = { command, options, work, report, scan: await scanOf(work, options) };
    const point = options.root === undefined ? await resumePointOf(run) : undefined;
    const saved = options.resume ? await point?.load() : undefined;
    if (saved !== undefined) {
      Object.assign(report.counts, saved.counts);
      Object.assign(work.spent, saved.spent);
    }
    let state = saved?.search ?? firstState(run);
    const before = itemsRead(run, state);
    const total = Math.max(0, Math.round(itemsAPass(run) * passesOf(run).length - before));
    const progress = () => ({ search: state, counts: report.counts, spent: work.spent });
    let finished = false;
    await reportedWork(
      () =>
        withProgress({ label: command, unit: 'items', total }, async (bar) => {
          try {
            state = await carriedOut(run, state, (search) => {
              state = search;
              bar.update(itemsRead(run, search) - before, report.progress(search));
              return point?.keep(progress());
            });
            if (run.failure !== undefined) throw run.failure;
          } catch (error) {
            // What ended the run is told, whether its resume point can be written or not.
            await point?.keepNow(progress()).catch(() => {});
            throw error;
          }
          finished = isPassed(state);
          await (finished ? point?.clear() : point?.keepNow(progress()));
        }),
      async () => {
        const resumePath = point?.isKept ? point.path : undefined;
        return await report.end(work, state, { finished, passes: passesOf(run).length, resumePath });
      },
    );
  });
}

interface DriftRun {
  readonly command: DriftCommand;
  readonly options: DriftOptions;
  readonly work: DriftWork;
  readonly report: ReturnType<typeof driftReport>;
  readonly scan: ScanPort;
  /** What ended the run before its end, if not the user. */
  failure?: unknown;
}

async function carriedOut(
  run: DriftRun,
  from: VerifyState,
  onState: TableSearch['onState'] & {},
): Promise<VerifyState> {
  const { command, options, work, report } = run;
  const { registry, table, propagations, selected } = work;
  const stop = () => work.stop() || run.failure !== undefined;
  const scan = {
    scan: run.scan,
    budget: work.reads,
    clock: systemClock,
    concurrency: segmentsAtOnce,
    stop,
    onState,
  };
  if (command !== 'backfill')
    return verifyTable(
      {
        ...scan,
        registry,
        table,
        queue: work.queue,
        paused: work.paused,
        passes: passesOf(run),
        orphans: options.allOrphans === true ? 'all' : 'unexplained',
        graceMs: (options.grace ?? 0) * 1000,
        onDrift: (found) => onDrift(run, found),
        ...(command === 'verify' && { onTargetless: report.lacksTarget }),
      },
      from,
    );
  const [rule] = [...selected.rules, ...selected.aggregates];
  if (rule === undefined) throw new Error('Expected a rule to backfill');
  return backfill({ ...scan, writer: rule, propagations, registry, onOutcome: report.did }, from);
}

async function onDrift(run: DriftRun, found: readonly Drift[]): Promise<readonly Drift[]> {
  const { command, work, report } = run;
  if (command === 'verify') {
    report.list(work, found);
    return [];
  }
  const { postponed, failure, ...outcome } = await work.propagations.repair(found);
  run.failure ??= failure;
  report.did(outcome);
  report.list(
    work,
    found.filter((drift) => !postponed.includes(drift)),
  );
  return postponed;
}

function passesOf({ command, work: { selected } }: DriftRun) {
  return command === 'repair' ? repairPasses(selected) : [selected];
}

function firstState({ command, options, work }: DriftRun): VerifyState {
  const { sample, root } = options;
  const point =
    sample === undefined ? wholeTable(root === undefined ? segments : 1) : sampleOf(sample, Math.random);
  return command === 'backfill' ? verifyFrom(point) : verifyFrom(point, work.selected);
}

/** The estimated number of items that a pass reads; 0 if that is unknown. */
function itemsAPass({ options: { root, sample = 1 }, work }: DriftRun): number {
  return root === undefined ? work.description.items * sample : 0;
}

function itemsRead(run: DriftRun, { pass, items }: VerifyState): number {
  return pass * itemsAPass(run) + items;
}

async function scanOf({ scan, selected, table }: DriftWork, options: DriftOptions): Promise<ScanPort> {
  const { root } = options;
  const [rule] = [...selected.rules, ...selected.aggregates];
  return root === undefined || rule === undefined ? scan : await scanOfRoot(root, rule, table, options);
}

async function resumePointOf({ command, work, options }: DriftRun) {
  const { rule, sample, allOrphans, dryRun, allowRemove } = options;
  const identity = {
    'the table': work.description.id,
    'the rules': work.digest,
    // What was paused then has not been looked at, and the passes are others.
    'what is paused': pausedIn(command === 'repair' && rule === undefined ? work.paused : nothingPaused),
    '--rule': rule ?? 'none',
    '--sample': sample === undefined ? 'none' : `${sample * 100}%`,
    '--all-orphans': String(allOrphans === true),
    '--dry-run': String(dryRun === true),
    '--allow-remove': String(allowRemove === true),
  };
  return resumePoint(
    resumePath(await stateDirOf(options), command, work.services.tableName),
    driftProgressSchema,
    identity,
  );
}

function pausedIn(pauses: Pauses): string {
  return [...pauses.keys()].sort().join(', ') || 'none';
}

function refuseBuilding({ description, services, selected }: DriftWork): void {
  const indexes = [
    ...selected.rules.flatMap(({ located }) => (located.in === 'index' ? [located.index] : [])),
    ...selected.aggregates.flatMap(memberIndexes),
  ];
  const building = indexes.find((index) => description.building.includes(index.name));
  if (building === undefined) return;
  throw new UsageError(
    'usage.index',
    `Expected index ${building.name} of table ${services.tableName} to be complete, but DynamoDB is still building it and a backfill would miss items: wait until it is ACTIVE`,
  );
}
