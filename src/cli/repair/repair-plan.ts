import * as z from 'zod';
import { type Drift, isRepairable } from '../../drift/drift.ts';
import type { LeftAlone, Propagations } from '../../drift/repair.ts';
import { number } from '../drift/drift-report.ts';
import type { DriftWork } from '../drift/drift-work.ts';
import { resumePoint } from '../drift/resume-point.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { progressBar } from '../output/progress.ts';
import type { RepairOptions } from './options.ts';
import { readPlan } from './plan-file.ts';
import { type RepairTally, repairCountsSchema } from './repair-tally.ts';

/** Findings that are repaired before the resume point moves past them. */
const atOnce = 200;

const stateSchema = z.object({ done: z.int().min(0), counts: repairCountsSchema });

/** Repairs exactly what a plan says: no search. */
export async function repairPlan(
  work: DriftWork,
  options: RepairOptions & { readonly plan: string },
  propagations: Propagations,
  tally: RepairTally,
): Promise<void> {
  refuseSearch(options);
  const { drifts, digest } = await readPlan(options.plan, work);
  const identity = {
    ...{ 'the table': work.description.arn, 'the rules': work.digest, 'the plan': digest },
    '--dry-run': String(options.dryRun === true),
    '--allow-remove': String(options.allowRemove === true),
  };
  const point = resumePoint(
    'repair-plan',
    work.where.tableName,
    stateSchema,
    identity,
    options.resume === true,
  );
  const from = await point.load();
  if (from !== undefined) tally.counts = from.counts;
  let done = from?.done ?? 0;
  const bar = progressBar({ label: 'repair', unit: 'findings', total: drifts.length - done });
  const began = done;
  try {
    while (done < drifts.length && !work.interruption.asked()) {
      const some = drifts.slice(done, done + atOnce);
      const outcome = await propagations.repair(some);
      tally.add(outcome);
      // Stopped in the middle of these: they are gone through again, and what was written stays written.
      if (outcome.unfinished.length > 0) break;
      for (const drift of some) if (!isRepairable(drift)) tally.leave(asLeftAlone(drift));
      done += some.length;
      bar.update(done - began);
      await point.keep({ done, counts: tally.counts });
    }
  } finally {
    bar.stop();
  }
  const finished = done === drifts.length;
  await (finished ? point.clear() : point.keepNow({ done, counts: tally.counts }));
  report(work, options, tally, done, finished);
  if (!finished)
    console.error(
      `denorm: stopped after ${number(done)} of ${number(drifts.length)} findings; the same command with --resume continues (${point.path})`,
    );
  const would = options.dryRun === true && tally.counts.written > 0;
  process.exitCode = finished && tally.left() === 0 && !would ? exitCodes.fine : exitCodes.failed;
}

/** What a person must look at stands in a plan as well. */
function asLeftAlone({ kind, rule, copy, root, code, reason }: Drift): LeftAlone {
  return {
    rule,
    copy,
    root,
    code: code ?? kind,
    reason: reason ?? 'Reported, never repaired: it needs a person',
  };
}

/** @throws UsageError `usage.options` where there are options of a search as well */
function refuseSearch({ rule, root, sample, allOrphans }: RepairOptions): void {
  const given = Object.entries({
    '--rule': rule,
    '--root': root,
    '--sample': sample,
    '--all-orphans': allOrphans,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (given.length > 0)
    throw new UsageError(
      'usage.options',
      `Expected --plan without search options, got it with ${given.join(', ')}: the plan selects the copies, so leave them out`,
    );
}

function report(
  { where, description, digest, spent }: DriftWork,
  { json, dryRun }: RepairOptions,
  tally: RepairTally,
  done: number,
  finished: boolean,
): void {
  const units = { readUnits: Math.round(spent.readUnits), writeUnits: Math.round(spent.writeUnits) };
  if (json)
    console.log(
      JSON.stringify({
        summary: {
          ...{ table: where.tableName, arn: description.arn, rulesDigest: digest },
          ...{ dryRun: dryRun === true, finished, findings: done, ...tally.counts, ...units },
        },
      }),
    );
  else
    console.log(
      `${number(done)} findings; ${tally.sentence(dryRun === true, 'repaired')}; ${number(spent.readUnits)} read units, ${number(spent.writeUnits)} write units`,
    );
}
