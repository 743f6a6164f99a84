import { pairs, styled } from '../../output/terminal.ts';
import type { RulesDifference } from './compare-rules.ts';
import type { RuleChange } from './rule-change.ts';

/** A comparison of rules, and what was compared. */
export interface Compared extends RulesDifference {
  readonly ref: string;
  readonly commit: string;
  readonly archives: readonly RuleChange[];
}

const head = ['rule', 'what', 'before', 'after', 'existing copies'];
const archiveHead = ['rule', 'what', 'before', 'after', 'items'];

/** A comparison for people: rule by rule, what it was, what it is, and what that means. */
export function differenceText(compared: Compared): string {
  return [
    styled('bold', title(compared)),
    ...ruleParagraphs(compared.changes),
    ...ruleParagraphs(compared.archives),
    ...closing(compared, (command) => `  $ ${command}`),
  ].join('\n\n');
}

function ruleParagraphs(changes: readonly RuleChange[]): string[] {
  return [...Map.groupBy(changes, ({ rule }) => rule)].map(([rule, its]) => {
    const lines = its.flatMap((one): (readonly [string, string])[] => [
      [labelOf(one), `${one.before} → ${one.after}`],
      ['', styled('yellow', one.says)],
    ]);
    return `${styled('bold', rule)}\n${pairs(lines)}`;
  });
}

/** A comparison for a pull request. */
export function differenceMarkdown(compared: Compared): string {
  return [
    `### ${title(compared)}`,
    ...(compared.changes.length === 0 ? [] : [markdownTable(head, compared.changes)]),
    ...(compared.archives.length === 0 ? [] : [markdownTable(archiveHead, compared.archives)]),
    ...closing(compared, (command) => `    ${command}`),
  ].join('\n\n');
}

function title({ ref, commit, changes, archives }: Compared): string {
  const from = `${ref} (${commit.slice(0, 7)})`;
  return changes.length + archives.length === 0
    ? `The rules are the same as at ${from}`
    : `The rules, from ${from} to this working tree`;
}

function closing({ backfill, lost, changes }: Compared, command: (text: string) => string): string[] {
  const losses = Object.entries(lost).map(
    ([rule, names]) =>
      `${rule} is a strict mirror: copies lose ${names.join(', ')}, and what else stands on them and not on their root.`,
  );
  const runs = backfill.flatMap((rule) => [
    command(`denorm backfill --rule ${rule} --estimate`),
    command(`denorm backfill --rule ${rule}`),
  ]);
  const after = 'Copies follow when their root changes next. To bring all up to date once this is deployed:';
  if (runs.length > 0) return [...losses, after, runs.join('\n')];
  return changes.length === 0 ? [] : [...losses, 'Nothing has to be brought up to date.'];
}

function labelOf({ what, attribute }: RuleChange): string {
  if (attribute === undefined) return what;
  return what === 'attribute' || what === 'archive' ? attribute : `${attribute}, ${what}`;
}

function cells(change: RuleChange): string[] {
  const { rule, before, after, says } = change;
  return [rule, labelOf(change), before, after, says];
}

function markdownTable(heads: readonly string[], changes: readonly RuleChange[]): string {
  const rows = [heads, heads.map(() => '---'), ...changes.map((one) => cells(one).map(escaped))];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function escaped(text: string): string {
  return text.replace(/[\\|]/g, '\\$&').replace(/\n/g, ' ');
}
