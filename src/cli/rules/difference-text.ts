import { pairs, styled } from '../output/terminal.ts';
import type { RuleChange, RulesDifference } from './compare-rules.ts';

/** The result of a comparison, and the versions compared. */
export interface Compared extends RulesDifference {
  readonly ref: string;
  readonly commit: string;
  readonly archives: readonly RuleChange[];
}

/** Formats a comparison as text: for each rule, before, after, and effect. */
export function differenceText(compared: Compared): string {
  const { ref, commit, changes, archives, backfill, lost, notCompared } = compared;
  const from = `${ref} (${commit.slice(0, 7)})`;
  const functions =
    notCompared.length === 0
      ? []
      : [`Not compared, because a function computes it: ${notCompared.join(', ')}.`];
  if (changes.length + archives.length === 0)
    return [`The rules are the same as at ${from}`, ...functions].join('\n');
  const losses = Object.entries(lost).map(
    ([rule, names]) =>
      `${rule} is a strict mirror: copies lose ${names.join(', ')}, and every other attribute that their root lacks.`,
  );
  const runs = backfill.flatMap((rule) => [
    `  $ denorm backfill --rule ${rule} --estimate`,
    `  $ denorm backfill --rule ${rule}`,
  ]);
  const after = 'Copies follow when their root changes next. To update all of them once this is deployed:';
  return [
    styled('bold', `The rules, from ${from} to this working tree`),
    ...paragraphs(changes),
    ...paragraphs(archives),
    ...losses,
    ...functions,
    ...(runs.length > 0 ? [after, runs.join('\n')] : []),
    ...(runs.length === 0 && changes.length > 0 ? ['No copy needs an update.'] : []),
  ].join('\n\n');
}

function paragraphs(changes: readonly RuleChange[]): string[] {
  return [...Map.groupBy(changes, ({ rule }) => rule)].map(([rule, its]) => {
    const lines = its.flatMap(({ what, attribute, before, after, says }): (readonly [string, string])[] => [
      [labelOf(what, attribute), `${before} → ${after}`],
      ['', styled('yellow', says)],
    ]);
    return `${styled('bold', rule)}\n${pairs(lines)}`;
  });
}

function labelOf(what: string, attribute: string | undefined): string {
  if (attribute === undefined) return what;
  return what === 'attribute' || what === 'archive' ? attribute : `${attribute}, ${what}`;
}
