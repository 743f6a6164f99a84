import type { Command } from 'commander';
import * as z from 'zod';
import { Propagations, postponedOf } from '../../operate/drift/repair.ts';
import type { WouldWrite } from '../../operate/offline/dry-run-table.ts';
import { silentTelemetry } from '../../operate/offline/silent-telemetry.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { driftKinds, isRepairable } from '../../worker/verify/drift.ts';
import { repairPasses } from '../../worker/verify/repair-order.ts';
import type { Found } from '../../worker/verify/suspected-drift.ts';
import { driftIn, type VerifyState, verifyStateSchema } from '../../worker/verify/verify-state.ts';
import type { Told } from '../../worker/verify/verify-table.ts';
import {
  type DriftWork,
  propagationsAtOnce,
  withDriftOptions,
  withDriftWork,
  withWriteOptions,
} from '../drift/drift-work.ts';
import { driftTable, FindingList, findingJson, remarks } from '../drift/findings.ts';
import { RepairTally, repairCountsSchema } from '../drift/repair-tally.ts';
import { type ResumePoint, resumePoint } from '../drift/resume-point.ts';
import { searchRoot } from '../drift/search-root.ts';
import {
  identityOf,
  refuseContradictions,
  rulesOf,
  sayStopped,
  searchTable,
  withSearchOptions,
} from '../drift/search-table.ts';
import { exitCodes } from '../errors.ts';
import { shareOption } from '../options/option-values.ts';
import { creationLine, removalLine, updateLine } from '../output/lines.ts';
import { say } from '../output/terminal.ts';
import { keyAsJson, number } from '../output/text.ts';
import { type RepairOptions, repairPlan } from './repair-plan.ts';

export function repairCommand(command: Command): Command {
  return withWriteOptions(withSearchOptions(withDriftOptions(command)))
    .option('--sample <share>', 'only a random share of the table, such as 1%', shareOption)
    .option('--plan <file>', 'repairs exactly what an earlier `verify --json` reported, without a search')
    .option('--dry-run', 'prints each write with its condition, and writes nothing')
    .addHelpText('after', helpAfter)
    .action(repair);
}

const helpAfter = `
A repair corrects copies that differ from their root, creates missing copies of rules that create, and corrects wrong totals and
items whose derived attributes are wrong. It runs the worker's own propagation: read the copy, then its root, and write on
condition that nothing has changed. It is therefore safe beside live traffic, and it writes what the root says at that moment,
whatever the plan says. It reports orphans, foreign and invalid items, and never repairs them. It leaves a copy alone, and reports
it, if the copy would be removed because the rule's when is false for its root or its root does not list its key any more, or
would lose attributes that no rule names, unless --allow-remove is given. With --root, it looks only where that root places its
copies now, as denorm verify does.

A plan for another table, or for rules other than those in force, is refused. Ctrl-C leaves a resume point in .denorm/ for
--resume. Exits 1 if drift is left or the command is stopped.

Examples:
  $ denorm repair --stack prod-denorm --rule author-on-posts --dry-run
  $ denorm verify --stack prod-denorm --json > plan.jsonl; denorm repair --stack prod-denorm --plan plan.jsonl --wcu 50`;

async function repair(options: RepairOptions): Promise<void> {
  refuseContradictions(options);
  const writes = options.dryRun ? printerOf(options) : 'for good';
  await withDriftWork(options, writes, async (work) => {
    const tally = new RepairTally(options.json === true);
    const propagations = new Propagations({
      ...{ registry: work.registry, table: work.table, clock: systemClock, telemetry: silentTelemetry },
      concurrency: propagationsAtOnce,
      allowRemove: options.allowRemove === true,
      stop: work.interruption.asked,
    });
    if (options.plan === undefined) await searchAndRepair(work, options, propagations, tally);
    else await repairPlan(work, { ...options, plan: options.plan }, propagations, tally);
  });
}

async function searchAndRepair(
  work: DriftWork,
  options: RepairOptions,
  propagations: Propagations,
  tally: RepairTally,
): Promise<void> {
  const list = new FindingList(false);
  async function onDrift(found: readonly Found[]): Promise<Told> {
    const drifts = found.map(({ drift }) => drift);
    const outcome = await propagations.repair(drifts);
    const postponed = postponedOf(drifts, outcome.unfinished);
    return {
      postponed,
      moved: () => {
        tally.add(outcome);
        for (const one of found) {
          if (postponed.includes(one.drift)) continue;
          if (options.json) say(findingJson(one, false));
          else if (!isRepairable(one.drift)) for (const line of list.linesOf(one)) say(line);
        }
      },
    };
  }
  const { root } = options;
  const point = repairPoint(work, options, tally);
  const { state, finished } =
    root === undefined
      ? await searchTable(work, options, {
          label: 'repair',
          point,
          onDrift,
          passes: repairPasses({ ...work.registry, ...rulesOf(work, options) }),
        })
      : await searchRoot(work, { ...options, root }, onDrift);
  report(work, options, tally, state, finished);
  if (!finished) sayStopped(state, root === undefined ? point.path : undefined);
  const done =
    finished && reportedIn(state) + tally.left() === 0 && (!options.dryRun || driftIn(state) === 0);
  process.exitCode = done ? exitCodes.fine : exitCodes.failed;
}

const stateSchema = z.object({ search: verifyStateSchema, counts: repairCountsSchema });

/** A resume point that saves the repair counts along with the progress of the search. */
function repairPoint(work: DriftWork, options: RepairOptions, tally: RepairTally): ResumePoint<VerifyState> {
  const identity = {
    ...identityOf(work, options),
    '--dry-run': String(options.dryRun === true),
    '--allow-remove': String(options.allowRemove === true),
  };
  const point = resumePoint('repair', work.where.tableName, stateSchema, identity, options.resume === true);
  return {
    path: point.path,
    async load() {
      const state = await point.load();
      if (state !== undefined) tally.counts = state.counts;
      return state?.search;
    },
    keep: (search) => point.keep({ search, counts: tally.counts }),
    keepNow: (search) => point.keepNow({ search, counts: tally.counts }),
    clear: () => point.clear(),
  };
}

/** The number of findings that are reported but never repaired. */
function reportedIn(state: VerifyState): number {
  const reported = driftKinds.filter((kind) => !isRepairable({ kind }));
  return Object.values(state.rules)
    .flatMap(({ drift }) => reported.map((kind) => drift[kind]))
    .reduce((sum, one) => sum + one, 0);
}

function report(
  { where, description, digest, spent }: DriftWork,
  { json, dryRun }: RepairOptions,
  tally: RepairTally,
  state: VerifyState,
  finished: boolean,
): void {
  if (json) {
    const { items, rules } = state;
    const units = { readUnits: Math.round(spent.readUnits), writeUnits: Math.round(spent.writeUnits) };
    console.log(
      JSON.stringify({
        summary: {
          ...{ table: where.tableName, arn: description.arn, rulesDigest: digest },
          ...{
            dryRun: dryRun === true,
            finished,
            items,
            drift: driftIn(state),
            rules,
            ...tally.counts,
            ...units,
          },
        },
      }),
    );
    return;
  }
  console.log(driftTable(state));
  for (const remark of remarks(state)) console.log(remark);
  console.log(
    `${number(state.items)} items read, ${number(driftIn(state))} drifted; ${tally.sentence(dryRun === true, 'repaired', reportedIn(state))}; ${number(spent.readUnits)} read units, ${number(spent.writeUnits)} write units`,
  );
}

/** Prints the writes of a dry run: attribute names, never values. */
function printerOf({ json }: Pick<RepairOptions, 'json'>): WouldWrite {
  return (write) => {
    if (!json) say(lineOf(write));
    else if ('set' in write) {
      const { key, set, remove } = write;
      say(JSON.stringify({ wouldWrite: keyAsJson(key), set: Object.keys(set), remove }));
    } else if ('item' in write)
      say(JSON.stringify({ wouldCreate: keyAsJson(write.key), set: Object.keys(write.item) }));
    else {
      const { key, clear } = write;
      const removal =
        clear === undefined
          ? { wouldDelete: keyAsJson(key) }
          : { wouldWrite: keyAsJson(key), set: [], remove: clear };
      say(JSON.stringify(removal));
    }
  };
}

function lineOf(write: Parameters<WouldWrite>[0]): string {
  if ('set' in write) return updateLine(write);
  return 'item' in write ? creationLine(write) : removalLine(write);
}
