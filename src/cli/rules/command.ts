import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { exitCodes, UsageError } from '../errors.ts';
import { allRules } from '../options/rules-in-force.ts';
import { pairs, styled } from '../output/terminal.ts';
import { project } from '../project.ts';
import { compareRules } from './compare-rules.ts';
import { describeAggregate } from './describe-aggregate.ts';
import { describeArchiveRule, describeRule } from './describe-rule.ts';
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
this machine. It prints new and removed rules, the attributes of existing copies and targets that appear, change or go, every other
field that differs, and the commands to run afterwards. Of functions it compares the source, and the patterns that they give. It names
the files that differ, because it compares neither schemas nor code that functions call: look at one item with
\`npx denorm explain\`. In the JSON object, \`same\` is true if no file differs either.

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
  const registry = await allRules();
  const rules = registry.rules.map(describeRule);
  const archives = registry.archives.map(describeArchiveRule);
  const aggregates = registry.aggregates.map(describeAggregate);
  if (json) console.log(JSON.stringify({ rules, aggregates, archives }, null, 2));
  else {
    const paragraphs = [
      ...rules.map(paragraph),
      ...aggregates.map(aggregateParagraph),
      ...archives.map(archiveParagraph),
    ];
    console.log(paragraphs.join('\n\n'));
  }
}

async function compare(ref: string, { markdown, exitCode, json }: RulesCommandOptions): Promise<void> {
  if (markdown && json)
    throw new UsageError('usage.diff', 'Expected --markdown or --json, got both: leave one of them out');
  const { folder, file } = await project();
  const before = await checkedOut(folder, ref);
  try {
    const old = await rulesIn(join(before.folder, basename(file)), ref);
    const now = await rulesIn(file, 'this working tree');
    const { commit } = before;
    const difference = compareRules(old, now);
    const differs = difference.changes.length > 0;
    const files = await filesThatDiffer(folder, commit);
    const text = differenceText(`${ref} (${commit.slice(0, 7)})`, difference, files);
    const same = !differs && files.length === 0;
    if (json) console.log(JSON.stringify({ same, ref, commit, ...difference, files }, null, 2));
    else console.log(markdown ? `\`\`\`\n${text}\n\`\`\`` : text);
    process.exitCode = exitCode && differs ? exitCodes.failed : exitCodes.fine;
  } finally {
    await before.remove();
  }
}

function paragraph(rule: ReturnType<typeof describeRule>): string {
  const lines: (readonly [string, string])[] = [
    ['source', rule.from],
    ['target', rule.to],
    ['lookup', rule.found],
    ...(rule.rootOf === undefined ? [] : [['root of a copy', rule.rootOf] as const]),
    ...(rule.creates ? [['creates', 'copies that are missing where their root places them'] as const] : []),
    ...(rule.when === undefined ? [] : [['when', rule.when] as const]),
    ['copies', rule.copies],
    ...rule.derives.map((derived, index) => [index === 0 ? 'derives' : '', derived] as const),
    ['reads', rule.reads],
    ['writes', rule.writes],
    [rule.when === undefined ? 'root deleted' : 'root deleted, or when is false', rule.onDelete],
    ['root expired', rule.onExpire],
  ];
  return `${styled('bold', rule.rule)}\n${pairs(lines)}`;
}

function aggregateParagraph(aggregate: ReturnType<typeof describeAggregate>): string {
  const list = (name: string, values: readonly string[]) =>
    values.map((value, index) => [index === 0 ? name : '', value] as const);
  const lines: (readonly [string, string])[] = [
    ['members', aggregate.of],
    ['target', aggregate.on],
    ...list('lookup', aggregate.found),
    ['targets of a member', aggregate.targets],
    ...list('computes', aggregate.computes),
    ['reads', aggregate.reads],
    ['at most', aggregate.limit],
    ['computed', aggregate.every],
    ['invalid member', aggregate.invalid],
  ];
  return `${styled('bold', aggregate.aggregate)}\n${pairs(lines)}`;
}

function archiveParagraph(archive: ReturnType<typeof describeArchiveRule>): string {
  const kinds = archive.kinds.map((kind, index) => [index === 0 ? 'archives' : '', kind] as const);
  const lines: (readonly [string, string])[] = [
    ...kinds,
    ...archive.when.map((predicate, index) => [index === 0 ? 'only' : '', predicate] as const),
    ['when', 'before the item expires, and after each change until then'],
    ['layout', archive.layout],
    ['class', archive.storageClass],
    ['ages', archive.ages],
    ['deleted', archive.onDelete],
  ];
  return `${styled('bold', archive.rule)}\n${pairs(lines)}`;
}
