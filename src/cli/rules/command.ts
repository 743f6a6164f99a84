import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { type Description, describeAll } from '../../explain/description.ts';
import { didYouMean } from '../../model/basics/nearest.ts';
import { UsageError } from '../errors.ts';
import { allRules } from '../options/rules-in-force.ts';
import { printSummary } from '../output/json.ts';
import { pairs, styled } from '../output/terminal.ts';
import { project } from '../project.ts';
import { changesText, checkedOut, compareRules, rulesIn } from './compare-rules.ts';

interface RulesCommandOptions {
  readonly diff?: string;
  readonly json?: true;
}

export function rulesCommand(command: Command): Command {
  return command
    .argument('[name]', 'only this rule, aggregate or archive rule')
    .option('--diff <ref>', 'compares with the rules of a git branch, tag or commit')
    .option('--json', 'JSON for machines')
    .addHelpText('after', helpAfter)
    .action((name: string | undefined, options: RulesCommandOptions) =>
      options.diff === undefined ? print(name, options) : compare(options.diff, name, options),
    );
}

const helpAfter = `
With --diff, the command also loads the rules of that version, with the packages of this working tree, and runs their code on
this machine. It prints what --json prints and differs, and the backfills to run afterwards. It compares neither schemas nor
code that functions call: look at one item with \`npx denorm explain\`.`;

async function print(name: string | undefined, { json }: RulesCommandOptions): Promise<void> {
  const rules = called(name, describeAll(await allRules()));
  if (json) printSummary({ rules });
  else console.log(rules.map(paragraph).join('\n\n') || 'no rules');
}

async function compare(ref: string, name: string | undefined, { json }: RulesCommandOptions): Promise<void> {
  const { folder, file } = await project();
  const before = await checkedOut(folder, ref);
  try {
    const old = describeAll(await rulesIn(join(before.folder, basename(file)), ref));
    const now = describeAll(await rulesIn(file, 'this working tree'));
    const { commit } = before;
    const named = new Set(called(name, [...now, ...old]).map(({ rule }) => rule));
    const changes = compareRules(old, now).filter(({ rule }) => named.has(rule));
    if (json) printSummary({ same: changes.length === 0, ref, commit, changes });
    else console.log(changesText(`${ref} (${commit.slice(0, 7)})`, changes));
  } finally {
    await before.remove();
  }
}

/** @throws UsageError `usage.rule` if no rule has this name */
function called(name: string | undefined, rules: readonly Description[]): readonly Description[] {
  if (name === undefined) return rules;
  const named = rules.filter(({ rule }) => rule === name);
  if (named.length > 0) return named;
  const names = [...new Set(rules.map(({ rule }) => rule))];
  throw new UsageError(
    'usage.rule',
    `Expected the name of a rule of denorm.config.ts, got '${name}': ${didYouMean(name, names)}`,
  );
}

function paragraph({ rule, type, fields }: Description): string {
  const lines = Object.entries(fields).flatMap(([field, entries]) =>
    entries.map((entry, index) => [index === 0 ? field : '', entry] as const),
  );
  return `${styled('bold', rule)}${type === 'rule' ? '' : ` (${type})`}\n${pairs(lines)}`;
}
