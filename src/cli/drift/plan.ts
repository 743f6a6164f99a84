import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { jsonFault, jsonOrUndefined } from '../../model/parse-json.ts';
import type { Drift } from '../../worker/verify/drift.ts';
import { inRepairOrder, repairPasses } from '../../worker/verify/repair-order.ts';
import { noCounts, type VerifyState } from '../../worker/verify/verify-state.ts';
import { UsageError } from '../errors.ts';
import { findingSchema } from './findings.ts';
import type { DriftRun } from './search.ts';
import type { DriftWork } from './work.ts';

/** Number of findings repaired between updates of the resume point. */
const atOnce = 200;

/**
 * Repairs only the findings in a plan, without a search.
 * @param from its items are the findings that were repaired before
 */
export async function repairPlan(
  { work, onDrift }: DriftRun,
  { drifts }: Plan,
  from: VerifyState,
  onState: (state: VerifyState) => Promise<void>,
): Promise<VerifyState> {
  let state = from;
  while (state.items < drifts.length && !work.interruption.asked()) {
    const some = drifts.slice(state.items, state.items + atOnce);
    const told = await onDrift(some.map((drift) => ({ drift, discrepancies: {} })));
    // A resumed run repeats an interrupted group, which does not undo finished writes.
    if (told && told.postponed.length > 0) break;
    told?.moved();
    state = { ...state, items: state.items + some.length, rules: counted(state.rules, some) };
    await onState(state);
  }
  return state;
}

function counted(rules: VerifyState['rules'], drifts: readonly Drift[]): VerifyState['rules'] {
  const counts = structuredClone(rules);
  for (const { rule, kind } of drifts) {
    const of = counts[rule] ?? noCounts();
    of.copies += 1;
    of.drift[kind] += 1;
    counts[rule] = of;
  }
  return counts;
}

/** The output of an earlier `verify --json`. */
export interface Plan {
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
): Promise<Plan> {
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
