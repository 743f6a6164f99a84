import { styled } from '../output/terminal.ts';
import { visible } from '../output/visible.ts';
import type { RuleChange } from './compare-rules.ts';

/**
 * Formats a comparison as text: the entries of each field that are gone and new, then the commands to run.
 * @param from the version before
 * @param files files that differ, whose code functions may call
 */
export function differenceText(
  from: string,
  changes: readonly RuleChange[],
  files: readonly string[],
): string {
  const notCompared = files.length === 0 ? [] : [notComparedText(files)];
  if (changes.length === 0) {
    const same =
      files.length === 0 ? `The rules are the same as at ${from}` : `No field of a rule differs from ${from}`;
    return [same, ...notCompared].join('\n');
  }
  return [
    styled('bold', `The rules, from ${from} to this working tree`),
    ...changes.map(changeText),
    ...notCompared,
    afterwards(changes),
  ].join('\n\n');
}

function changeText({ rule, type, is, fields }: RuleChange): string {
  const note = is === 'changed' ? '' : ` is ${is}${is === 'removed' ? `: ${leftBehind[type]}` : ''}`;
  const lines = Object.entries(fields).flatMap(([field, { before, after }]) => [
    `  ${field}`,
    ...before.map((entry) => styled('red', `    - ${visible(entry)}`)),
    ...after.map((entry) => styled('green', `    + ${visible(entry)}`)),
  ]);
  return [`${styled('bold', rule)}${note}`, ...lines].join('\n');
}

const leftBehind = {
  rule: 'copies stay as they are; its queued messages are dead-lettered',
  aggregate: 'totals stay as they are; its queued messages are dead-lettered',
  archive: 'items expire without it; archived states stay',
} as const;

function afterwards(changes: readonly RuleChange[]): string {
  const rules = changes.filter(({ backfill }) => backfill).map(({ rule }) => rule);
  if (rules.length === 0) return 'No copy and no total needs an update.';
  return [
    'Copies follow when their root changes next, and totals when a member does; what a rule no longer writes stays. To update all of them once this is deployed:\n',
    ...rules.flatMap((rule) => [
      `  $ npx denorm backfill --rule ${rule} --stack <name> --dry-run`,
      `  $ npx denorm backfill --rule ${rule} --stack <name>`,
    ]),
  ].join('\n');
}

const maxFiles = 10;

function notComparedText(files: readonly string[]): string {
  const others = files.length > maxFiles ? ` and ${files.length - maxFiles} others` : '';
  return `Not compared: schemas, and code that functions call or run beside their pattern. These files differ: ${files.slice(0, maxFiles).join(', ')}${others}.`;
}
