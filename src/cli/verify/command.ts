import { Command } from 'commander';
import type { Found } from '../../drift/suspected-drift.ts';
import { driftIn, type VerifyState, verifyStateSchema } from '../../drift/verify-state.ts';
import { withDriftOptions } from '../drift/drift-options.ts';
import { driftTable, FindingList, number, remarks } from '../drift/drift-report.ts';
import { type DriftWork, withDriftWork } from '../drift/drift-work.ts';
import { findingJson } from '../drift/finding-json.ts';
import { resumePoint } from '../drift/resume-point.ts';
import { say } from '../drift/say.ts';
import { type SearchOptions, searchRoot, searchTable } from '../drift/search-table.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { secondsOption, shareOption } from '../options/option-values.ts';

interface VerifyOptions extends SearchOptions {
  readonly showValues?: true;
  readonly resume?: true;
  readonly json?: true;
}

/** Adds what says which drift is looked for. */
export function withSearchOptions(command: Command): Command {
  return command
    .option('--rule <name>', 'only the copies of this rule')
    .option('--root <key>', 'only the copies of this root, without a scan: \'{"PK":"…","SK":"…"}\'')
    .option('--grace <seconds>', 'how long a change may take to reach a copy', secondsOption, 5)
    .option('--all-orphans', 'also reports orphans that their rule keeps only on deletion or only on expiry');
}

/** `denorm verify` */
export function verifyCommand(): Command {
  return withSearchOptions(withDriftOptions(new Command('verify')))
    .description('Compares copies with their roots and reports drift. Writes nothing.')
    .option('--sample <share>', 'only a random share of the table, such as 1%', shareOption)
    .option(
      '--show-values',
      'also prints the actual and expected values of differing attributes: item content',
    )
    .addHelpText('after', helpAfter)
    .action(verify);
}

const helpAfter = `
Findings, and what a repair does about each:
  differs  a copy is not what its root says; repaired
  derived  an item that is its own copy has wrong derived attributes; repaired
  orphan   the copy's root does not exist, and no policy of the rule keeps the copy; needs a person
  foreign  the copy names a root that places its copies elsewhere; needs a person
  invalid  the root or copy lacks what the rule reads; needs a person, and its message names the attribute

The command reads each suspected copy again, strongly consistent, after --grace seconds. If a rule keeps copies only on deletion
or only on expiry, its orphans are not drift, because the table does not show which of the two happened. An attribute that "no
rule names" exists on a copy of a strict mirror, but not on its root and in no schema: a repair removes it only with
--allow-remove.

The command reads the whole table once (half a unit for each 4 KB) and each root about once for each page of its copies, within
--rcu. Ctrl-C leaves a resume point in .denorm/ for --resume. Exits 1 if it finds drift or is stopped.

Examples:
  $ denorm verify --stack prod-denorm --sample 1%
  $ denorm verify --table app --endpoint http://127.0.0.1:8000 --json > plan.jsonl
  $ denorm verify --stack prod-denorm --root '{"PK":"ORDER#42","SK":"METADATA"}' --show-values`;

async function verify(options: VerifyOptions): Promise<void> {
  refuseContradictions(options);
  await withDriftWork(options, 'nothing', async (work) => {
    const list = new FindingList(options.showValues === true);
    const onDrift = async (found: readonly Found[]) => {
      for (const one of found)
        if (options.json) say(findingJson(one, options.showValues === true));
        else for (const line of list.linesOf(one)) say(line);
    };
    const { root } = options;
    const point = resumePoint(
      'verify',
      work.where.tableName,
      verifyStateSchema,
      identityOf(work, options),
      options.resume === true,
    );
    const { state, finished } =
      root === undefined
        ? await searchTable(work, options, 'verify', point, onDrift)
        : await searchRoot(work, { ...options, root }, onDrift);
    if (options.json) console.log(summaryJson(work, options, state, finished));
    else printSummary(work, state);
    if (!finished) sayStopped(state, root === undefined ? point.path : undefined);
    process.exitCode = finished && driftIn(state) === 0 ? exitCodes.fine : exitCodes.failed;
  });
}

/** @throws UsageError `usage.options` where options do not go together */
export function refuseContradictions({
  root,
  sample,
  resume,
}: SearchOptions & { readonly resume?: true }): void {
  if (root === undefined || (sample === undefined && resume === undefined)) return;
  const other = sample === undefined ? '--resume' : '--sample';
  throw new UsageError(
    'usage.options',
    `Expected --root alone, got it with ${other}: a search for one root needs no scan`,
  );
}

/** What must be the same for a search to go on. */
export function identityOf(
  { description, digest }: DriftWork,
  { rule, sample, allOrphans }: SearchOptions,
): Readonly<Record<string, string>> {
  return {
    'the table': description.arn,
    'the rules': digest,
    '--rule': rule ?? 'none',
    '--sample': sample === undefined ? 'none' : `${sample * 100}%`,
    '--all-orphans': String(allOrphans === true),
  };
}

/** The last line: what a plan is checked by. */
export function summaryJson(
  { where, description, digest, spent }: DriftWork,
  { sample, rule, root }: SearchOptions,
  { items, rules }: VerifyState,
  finished: boolean,
): string {
  return JSON.stringify({
    summary: {
      table: where.tableName,
      arn: description.arn,
      rulesDigest: digest,
      finished,
      ...(rule !== undefined && { rule }),
      ...(root !== undefined && { root }),
      ...(sample !== undefined && { sample }),
      items,
      drift: driftIn({ rules }),
      rules,
      readUnits: Math.round(spent.readUnits),
    },
  });
}

export function printSummary({ spent }: DriftWork, state: VerifyState): void {
  console.log(driftTable(state));
  for (const remark of remarks(state)) console.log(remark);
  console.log(
    `${number(state.items)} items read, ${number(driftIn(state))} drifted, ${number(spent.readUnits)} read units`,
  );
}

/** Says how to go on. */
export function sayStopped({ items }: Pick<VerifyState, 'items'>, path: string | undefined): void {
  console.error(
    path === undefined
      ? 'denorm: stopped before the end'
      : `denorm: stopped after ${number(items)} items; the same command with --resume continues (${path})`,
  );
}
