import { pairs, styled } from '../output/terminal.ts';
import type { RulesDifference } from './compare-rules.ts';

/**
 * Formats a comparison as text: for each rule, before, after, and effect.
 * @param from the version before
 * @param files files that differ, whose code functions may call
 */
export function differenceText(
  from: string,
  { changes, backfill }: RulesDifference,
  files: readonly string[],
): string {
  const notCompared = files.length === 0 ? [] : [notComparedText(files)];
  if (changes.length === 0)
    return notCompared.length === 0
      ? `The rules are the same as at ${from}`
      : [`No field of a rule, and no source of its functions, differs from ${from}`, ...notCompared].join(
          '\n',
        );
  const paragraphs = [...Map.groupBy(changes, ({ rule }) => rule)].map(([rule, its]) => {
    const lines = its.flatMap(({ what, attribute, before, after, says }) => [
      [attribute ?? what, `${before} → ${after}`] as const,
      ['', says, 'yellow'] as const,
    ]);
    return `${styled('bold', rule)}\n${pairs(lines)}`;
  });
  const runs = backfill.flatMap((rule) => [
    `  $ npx denorm backfill --rule ${rule} --stack <name> --dry-run`,
    `  $ npx denorm backfill --rule ${rule} --stack <name>`,
  ]);
  const after =
    'Copies follow when their root changes next, and totals when a member does. To update all of them once this is deployed:';
  return [
    styled('bold', `The rules, from ${from} to this working tree`),
    ...paragraphs,
    ...notCompared,
    ...(runs.length > 0 ? [after, runs.join('\n')] : ['No copy and no total needs an update.']),
  ].join('\n\n');
}

const maxFiles = 10;

function notComparedText(files: readonly string[]): string {
  const others = files.length > maxFiles ? ` and ${files.length - maxFiles} others` : '';
  return `Not compared: schemas, and code that functions call. These files differ: ${files.slice(0, maxFiles).join(', ')}${others}.`;
}
