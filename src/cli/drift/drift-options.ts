import type { Command } from 'commander';
import { countOption } from '../options/count-option.ts';
import { unitsOption } from '../options/option-values.ts';
import { withRules } from '../options/rules-in-force.ts';
import { withWhere } from '../options/where.ts';

/** Adds what the commands that go through a table have in common. */
export function withDriftOptions(command: Command): Command {
  return withRules(withWhere(command))
    .option('--rcu <units>', 'read units per second, or `unlimited`', unitsOption, 100)
    .option('--segments <number>', 'parts into which the scan divides the table', countOption, 8)
    .option('--resume', 'continues where the same command, with the same options, stopped')
    .option('--json', 'JSON lines for machines: one for each finding, then a summary');
}

/** Adds what the commands that write have in common. */
export function withWriteOptions(command: Command): Command {
  return command
    .option('--wcu <units>', 'write units per second, indexes included, or `unlimited`', unitsOption, 100)
    .option('--allow-remove', 'also writes copies that lose attributes that no rule names')
    .option('--without-stream', 'writes even if the table has no stream and therefore no worker');
}
