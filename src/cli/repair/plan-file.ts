import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { Drift } from '../../drift/drift.ts';
import { jsonOrUndefined } from '../../model/parse-json.ts';
import type { DriftWork } from '../drift/drift-work.ts';
import { findingSchema } from '../drift/finding-json.ts';
import { UsageError } from '../errors.ts';

/** What an earlier `verify --json` reported. */
export interface PlanFile {
  readonly drifts: readonly Drift[];
  /** Tells it from another plan. */
  readonly digest: string;
}

const summarySchema = z.object({
  summary: z.object({ table: z.string(), arn: z.string(), rulesDigest: z.string() }),
});

/**
 * Reads a plan.
 * @throws UsageError `usage.plan` where it is none, where it was made of another table, or by other rules than are in force
 */
export async function readPlan(
  path: string,
  { where, description, digest }: Pick<DriftWork, 'where' | 'description' | 'digest'>,
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
        `Expected ${path} to be what \`denorm verify --json\` printed, but line ${number} is not a finding: run it again`,
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
  return { drifts, digest: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}

function refused(message: string, cause?: unknown): UsageError {
  return new UsageError('usage.plan', message, cause === undefined ? {} : { cause });
}
