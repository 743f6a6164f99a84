import type { Command } from 'commander';
import { countOption } from '../options/count-option.ts';
import { unitsOption } from '../options/option-values.ts';
import { withRules } from '../options/rules-in-force.ts';
import { withWhere } from '../options/where.ts';

/** Adds what the commands that go through a table have in common. */
export function withDriftOptions(command: Command): Command {
  return withRules(withWhere(command))
    .option('--rcu <units>', 'read units a second, or `unlimited`', unitsOption, 100)
    .option('--segments <number>', 'parts into which the scan divides the table', countOption, 8)
    .option('--resume', 'goes on where the last one stopped, with the same options')
    .option('--json', 'JSON lines for machines: one for each finding, and a summary last');
}

/** Adds what the commands that write have in common. */
export function withWriteOptions(command: Command): Command {
  return command
    .option('--wcu <units>', 'write units a second, index arms included, or `unlimited`', unitsOption, 100)
    .option('--allow-remove', 'also writes copies that lose attributes which no rule names')
    .option('--without-stream', 'writes although the table has no stream, so that no worker follows it');
}
