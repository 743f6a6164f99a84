import type { Command } from 'commander';
import type { Found } from '../../worker/verify/suspected-drift.ts';
import { driftIn, type VerifyState, verifyStateSchema } from '../../worker/verify/verify-state.ts';
import { type DriftWork, withDriftOptions, withDriftWork } from '../drift/drift-work.ts';
import { driftTable, FindingList, findingJson, remarks } from '../drift/findings.ts';
import { resumePoint } from '../drift/resume-point.ts';
import { searchRoot } from '../drift/search-root.ts';
import {
  identityOf,
  refuseContradictions,
  type SearchOptions,
  sayStopped,
  searchTable,
  withSearchOptions,
} from '../drift/search-table.ts';
import { TypeRemarks } from '../drift/type-remarks.ts';
import { exitCodes } from '../errors.ts';
import { shareOption } from '../options/option-values.ts';
import { say, warn } from '../output/terminal.ts';
import { exampleKeys, number } from '../output/text.ts';

interface VerifyOptions extends SearchOptions {
  readonly showValues?: true;
  readonly resume?: true;
  readonly json?: true;
}

export function verifyCommand(command: Command): Command {
  return withSearchOptions(withDriftOptions(command))
    .option('--sample <share>', 'only a random share of the table, such as 1%', shareOption)
    .option(
      '--show-values',
      'also prints the actual and expected values of differing attributes: item content',
    )
    .addHelpText('after', helpAfter)
    .action(verify);
}

const helpAfter = () => `
Findings, and what a repair does about each:
  differs   a copy is not what its root says; repaired
  derived   an item that is its own copy has wrong derived attributes, or the target of an aggregate wrong totals; repaired
  missing   a root places a copy at a key that is free, and the rule creates copies; repaired
  excluded  the rule's when is false for the copy's root; repaired with --allow-remove
  unlisted  the copy is at a key that its root does not list any more; repaired with --allow-remove
  orphan    the copy's root does not exist, and no policy of the rule keeps the copy; needs a person
  foreign   the copy names a root that places its copies elsewhere; needs a person
  invalid   the root or copy lacks what the rule reads, or another item has the key of a copy; needs a person

The command reads each suspected copy again, strongly consistent, after --grace seconds. If a rule keeps copies only on deletion
or only on expiry, its orphans are not drift, because the table does not show which of the two happened. An attribute that "no
rule names" exists on a copy of a strict mirror, but not on its root and in no schema: a repair removes it only with
--allow-remove.

With --root, the command looks only where that root places its copies now. It finds no copy that the root has left behind, at a
key that it does not list any more (unlisted) or in an earlier partition: only a search of the whole table does.

Items whose type contradicts their key, such as a Comment's key with the type of a post, are of no kind and not compared: the
command counts them, on stderr.

The command reads the whole table once (half a unit for each 4 KB) and each root about once for each page of its copies, and
every key at which a rule creates a copy, within --rcu. Ctrl-C leaves a resume point in .denorm/ for --resume. Exits 1 if it finds
drift or is stopped.

Examples:
  $ denorm verify --stack prod-denorm --sample 1%
  $ denorm verify --table app --endpoint http://127.0.0.1:8000 --json > plan.jsonl
  $ denorm verify --stack prod-denorm --root '${exampleKeys.copy()}' --show-values`;

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
    const types = new TypeRemarks(work.registry);
    const point = resumePoint(
      'verify',
      work.where.tableName,
      verifyStateSchema,
      identityOf(work, options),
      options.resume === true,
    );
    const { state, finished } =
      root === undefined
        ? await searchTable({ ...work, scan: types.watching(work.scan) }, options, {
            label: 'verify',
            point,
            onDrift,
          })
        : await searchRoot(work, { ...options, root }, onDrift);
    if (options.json) console.log(summaryJson(work, options, state, finished));
    else printSummary(work, state);
    for (const line of types.lines()) warn(line);
    if (!finished) sayStopped(state, root === undefined ? point.path : undefined);
    process.exitCode = finished && driftIn(state) === 0 ? exitCodes.fine : exitCodes.failed;
  });
}

/** The summary, as one line of JSON. `repair --plan` uses it to validate the plan. */
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
