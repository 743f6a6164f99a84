import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { jsonFault, jsonOrUndefined } from '../../model/parse-json.ts';
import type { LeftAlone, Propagations } from '../../operate/drift/repair.ts';
import { type Drift, isRepairable } from '../../worker/verify/drift.ts';
import { inRepairOrder, repairPasses } from '../../worker/verify/repair-order.ts';
import type { DriftWork } from '../drift/drift-work.ts';
import { findingSchema } from '../drift/findings.ts';
import { type RepairTally, repairCountsSchema } from '../drift/repair-tally.ts';
import { resumePoint } from '../drift/resume-point.ts';
import type { SearchOptions } from '../drift/search-table.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { progressBar } from '../output/terminal.ts';
import { number } from '../output/text.ts';

export interface RepairOptions extends SearchOptions {
  readonly plan?: string;
  readonly dryRun?: true;
  readonly allowRemove?: true;
  readonly resume?: true;
  readonly json?: true;
}

/** Number of findings repaired between updates of the resume point. */
const atOnce = 200;

const stateSchema = z.object({ done: z.int().min(0), counts: repairCountsSchema });

/** Repairs only the findings in a plan, without a search. */
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
      // Interrupted in this group. A resumed run repeats the group, which does not undo finished writes.
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
  const would = options.dryRun === true && tally.counts.written + tally.counts.removed > 0;
  process.exitCode = finished && tally.left() === 0 && !would ? exitCodes.fine : exitCodes.failed;
}

/** A plan also contains findings that require a person. */
function asLeftAlone({ kind, rule, copy, root, code, reason }: Drift): LeftAlone {
  return {
    rule,
    copy,
    root,
    code: code ?? kind,
    reason: reason ?? 'Reported, never repaired: it needs a person',
  };
}

/** @throws UsageError `usage.options` if a plan is combined with search options */
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

/** The output of an earlier `verify --json`. */
export interface PlanFile {
  /** In the order of their repair. */
  readonly drifts: readonly Drift[];
  /** Identifies the plan. */
  readonly digest: string;
}

const summarySchema = z.object({
  summary: z.object({ table: z.string(), arn: z.string(), rulesDigest: z.string() }),
});

/**
 * Reads a plan.
 * @throws UsageError `usage.plan` if the plan is invalid, or was made for another table or other rules
 */
export async function readPlan(
  path: string,
  { where, description, registry, digest }: Pick<DriftWork, 'where' | 'description' | 'registry' | 'digest'>,
): Promise<PlanFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw refused(`Expected a plan in ${path}, which cannot be read: check the path`, error);
  });
  const lines = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [{ line, number: index + 1 }]));
  const summaries: z.output<typeof summarySchema>['summary'][] = [];
  const drifts: Drift[] = [];
  for (const { line, number } of lines) {
    const read = jsonOrUndefined(line);
    const summary = summarySchema.safeParse(read);
    const finding = findingSchema.safeParse(read);
    if (summary.success) summaries.push(summary.data.summary);
    else if (finding.success) drifts.push(finding.data);
    else
      throw refused(
        `Expected ${path} to be what \`denorm verify --json\` printed, but line ${number} is not a finding${notJson(line)}: run it again`,
      );
  }
  if (summaries.length === 0)
    throw refused(
      `Expected ${path} to end with a summary, found none: let \`denorm verify --json\` finish, or stop it with Ctrl-C`,
    );
  for (const { table, arn, rulesDigest } of summaries) {
    if (table !== where.tableName || arn !== description.arn)
      throw refused(
        `Expected a plan of table ${where.tableName} (${description.arn}), but ${path} is of ${table} (${arn}): verify this table`,
      );
    if (rulesDigest !== digest)
      throw refused(
        `Expected a plan by the rules in force (${digest}), but ${path} was made by other rules (${rulesDigest}): verify again`,
      );
  }
  return {
    drifts: inRepairOrder(repairPasses(registry), drifts).flat(),
    digest: createHash('sha256').update(text).digest('hex').slice(0, 16),
  };
}

function notJson(line: string): string {
  const fault = jsonFault(line);
  return fault === undefined ? '' : `, nor JSON from ${fault.replace('line 1, ', '')} on`;
}

function refused(message: string, cause?: unknown): UsageError {
  return new UsageError('usage.plan', message, cause === undefined ? {} : { cause });
}
