import { basename, join } from 'node:path';
import type { Command } from 'commander';
import type { Registry } from '../../model/registry.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { allRules } from '../options/rules-in-force.ts';
import { pairs, styled } from '../output/terminal.ts';
import { project } from '../project.ts';
import { compareRules } from './compare-rules.ts';
import { describeAggregate } from './describe-aggregate.ts';
import { describeArchive } from './describe-archive.ts';
import { describeRule } from './describe-rule.ts';
import type { Description } from './description.ts';
import { differenceText } from './difference-text.ts';
import { checkedOut, filesThatDiffer, rulesIn } from './rules-version.ts';

interface RulesCommandOptions {
  readonly diff?: string;
  readonly markdown?: true;
  readonly exitCode?: true;
  readonly json?: true;
}

export function rulesCommand(command: Command): Command {
  return command
    .option('--diff <ref>', 'compares with the rules of a git branch, tag or commit')
    .option('--markdown', 'with --diff: prints a Markdown code block, for a pull request')
    .option('--exit-code', 'with --diff: exits 1 if the rules differ')
    .option('--json', 'one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action((options: RulesCommandOptions) =>
      options.diff === undefined ? print(options) : compare(options.diff, options),
    );
}

const helpAfter = `
denorm.config.ts lists the rules. Loading them checks them.

With --diff, the command also loads the rules of that version, with the packages of this working tree, and runs their code on
this machine. It prints what --json prints and differs, and the backfills to run afterwards. It names the files that differ, because
it compares neither schemas nor code that functions call: look at one item with \`npx denorm explain\`.

Examples:
  $ denorm rules --json | jq -r '.rules[].rule'
  $ denorm rules --diff origin/main
  $ denorm rules --diff origin/main --markdown >> $GITHUB_STEP_SUMMARY`;

async function print({ json, markdown, exitCode }: RulesCommandOptions): Promise<void> {
  if (markdown || exitCode)
    throw new UsageError(
      'usage.diff',
      `Expected --${markdown ? 'markdown' : 'exit-code'} with --diff, got it alone: add --diff with a version to compare with`,
    );
  const rules = describeAll(await allRules());
  console.log(json ? JSON.stringify({ rules }, null, 2) : rules.map(paragraph).join('\n\n'));
}

async function compare(ref: string, { markdown, exitCode, json }: RulesCommandOptions): Promise<void> {
  if (markdown && json)
    throw new UsageError('usage.diff', 'Expected --markdown or --json, got both: leave one of them out');
  const { folder, file } = await project();
  const before = await checkedOut(folder, ref);
  try {
    const old = describeAll(await rulesIn(join(before.folder, basename(file)), ref));
    const now = describeAll(await rulesIn(file, 'this working tree'));
    const { commit } = before;
    const changes = compareRules(old, now);
    const files = await filesThatDiffer(folder, commit);
    const text = differenceText(`${ref} (${commit.slice(0, 7)})`, changes, files);
    const same = changes.length === 0 && files.length === 0;
    if (json) console.log(JSON.stringify({ same, ref, commit, changes, files }, null, 2));
    else console.log(markdown ? `\`\`\`diff\n${text}\n\`\`\`` : text);
    process.exitCode = exitCode && changes.length > 0 ? exitCodes.failed : exitCodes.fine;
  } finally {
    await before.remove();
  }
}

/** All that the project defines, in its order. */
function describeAll({ rules, aggregates, archives }: Registry): readonly Description[] {
  return [...rules.map(describeRule), ...aggregates.map(describeAggregate), ...archives.map(describeArchive)];
}

function paragraph({ rule, type, fields }: Description): string {
  const lines = Object.entries(fields).flatMap(([field, entries]) =>
    entries.map((entry, index) => [index === 0 ? field : '', entry] as const),
  );
  return `${styled('bold', rule)}${type === 'rule' ? '' : ` (${type})`}\n${pairs(lines)}`;
}
