import type { Command } from 'commander';
import { allRules } from '../options/rules-in-force.ts';
import { pairs, styled } from '../output/terminal.ts';
import { type Description, describe } from './description.ts';

interface RulesCommandOptions {
  readonly json?: true;
}

export function rulesCommand(command: Command): Command {
  return command
    .option('--json', 'one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action(printRules);
}

const helpAfter = `
denorm.config.ts lists the rules. Loading them checks them.

Example:
  $ denorm rules --json | jq -r '.rules[].rule'`;

async function printRules({ json }: RulesCommandOptions): Promise<void> {
  const { rules, aggregates, archives } = await allRules();
  const described = [...rules, ...aggregates, ...archives].map(describe);
  console.log(json ? JSON.stringify({ rules: described }, null, 2) : described.map(paragraph).join('\n\n'));
}

function paragraph({ rule, type, fields }: Description): string {
  const lines = Object.entries(fields).flatMap(([field, entries]) =>
    entries.map((entry, index) => [index === 0 ? field : '', entry] as const),
  );
  return `${styled('bold', rule)}${type === 'rule' ? '' : ` (${type})`}\n${pairs(lines)}`;
}
