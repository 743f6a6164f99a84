import { Command } from 'commander';
import { loadRules } from '../rules/index.ts';
import { describeKind, describeRule } from './describe-rule.ts';
import { pairs, styled } from './terminal.ts';

/** `denorm rules` */
export function rulesCommand(): Command {
  return new Command('rules')
    .description(
      'Prints every rule: from what, to what, found how, which attributes, what happens on removal.',
    )
    .option('--json', 'one JSON object with all rules, for machines')
    .addHelpText(
      'after',
      "\nThe rules stand in src/rules, one file each. Loading them checks them.\n\nExample:\n  $ denorm rules --json | jq -r '.rules[].rule'",
    )
    .action(({ json }: { json?: true }) => {
      const registry = loadRules({ statusShards: 1, disabled: [] });
      const rules = registry.rules.map(describeRule);
      const archive = registry.archive && {
        rule: registry.archive.name,
        kinds: registry.archive.kinds.map(describeKind),
      };
      if (json) console.log(JSON.stringify({ rules, archive }, null, 2));
      else
        console.log([...rules.map(paragraph), ...(archive ? [archiveParagraph(archive)] : [])].join('\n\n'));
    });
}

function paragraph(rule: ReturnType<typeof describeRule>): string {
  const lines: (readonly [string, string])[] = [
    ['from', rule.from],
    ['to', rule.to],
    ['found', rule.found],
    ['copies', rule.copies],
    ...rule.derives.map((derived, index) => [index === 0 ? 'derives' : '', derived] as const),
    ['reads', rule.reads],
    ['owns', rule.owns],
    ['root deleted', rule.onDelete],
    ['root expired', rule.onExpire],
  ];
  return `${styled('bold', rule.rule)}\n${pairs(lines)}`;
}

function archiveParagraph(archive: { readonly rule: string; readonly kinds: readonly string[] }): string {
  const kinds = archive.kinds.map((kind, index) => [index === 0 ? 'archives' : '', kind] as const);
  return `${styled('bold', archive.rule)}\n${pairs([...kinds, ['when', 'before the item expires, and again whenever it changes until then']])}`;
}
