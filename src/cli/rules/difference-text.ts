import { pairs, styled } from '../output/terminal.ts';
import type { RulesDifference } from './compare-rules.ts';

/**
 * Formats a comparison as text: for each rule, before, after, and effect.
 * @param from the version before
 */
export function differenceText(from: string, { changes, backfill, notCompared }: RulesDifference): string {
  const functions =
    notCompared.length === 0
      ? []
      : [`Not compared, because a function computes it: ${notCompared.join(', ')}.`];
  if (changes.length === 0) return [`The rules are the same as at ${from}`, ...functions].join('\n');
  const paragraphs = [...Map.groupBy(changes, ({ rule }) => rule)].map(([rule, its]) => {
    const lines = its.flatMap(({ what, attribute, before, after, says }) => [
      [attribute ?? what, `${before} → ${after}`] as const,
      ['', styled('yellow', says)] as const,
    ]);
    return `${styled('bold', rule)}\n${pairs(lines)}`;
  });
  const runs = backfill.flatMap((rule) => [
    `  $ npx denorm backfill --rule ${rule} --stack <name> --estimate`,
    `  $ npx denorm backfill --rule ${rule} --stack <name>`,
  ]);
  const after =
    'Copies follow when their root changes next, and totals when a member does. To update all of them once this is deployed:';
  return [
    styled('bold', `The rules, from ${from} to this working tree`),
    ...paragraphs,
    ...functions,
    ...(runs.length > 0 ? [after, runs.join('\n')] : ['No copy and no total needs an update.']),
  ].join('\n\n');
}
