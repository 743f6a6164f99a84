import { type Command, Option } from 'commander';
import { countOption, secondsOption, shareOption, unitsOption } from '../options/option-values.ts';
import { type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { type WhereOptions, withWhere } from '../options/where.ts';

/** What the three commands have in common, as commander parses it. */
export interface DriftOptions extends WhereOptions, RulesOptions {
  readonly rule?: string;
  readonly root?: string;
  readonly sample?: number;
  readonly limit?: number;
  readonly rcu: number;
  readonly segments: number;
  readonly resume?: true;
  readonly json?: true;
  readonly grace?: number;
  readonly allOrphans?: true;
  readonly showValues?: true;
  readonly dryRun?: true;
  readonly wcu?: number;
  readonly allowRemove?: true;
  readonly withoutStream?: true;
}

/** Which part of the table is read, and how fast. */
export function withScan(command: Command): Command {
  return withRules(withWhere(command))
    .option('--rule <name>', 'only this rule or aggregate; a backfill needs it')
    .addOption(
      new Option('--root <key>', 'only where this root places copies now, without a scan; as JSON').conflicts(
        ['sample', 'limit', 'resume'],
      ),
    )
    .option('--sample <share>', 'only a random share of the table, such as 1%', shareOption)
    .option('--limit <items>', 'stops after about this many items; --resume continues', countOption)
    .option('--rcu <units>', 'read units per second, or `unlimited`', unitsOption, 100)
    .option('--segments <number>', 'parts into which the scan divides the table', countOption, 8)
    .option('--resume', 'continues where the same command, with the same options, stopped')
    .option('--json', 'JSON lines for machines: one for each finding, then a summary');
}

/** What counts as drift. */
export function withSearch(command: Command): Command {
  return command
    .option('--grace <seconds>', 'how long a change may take to reach a copy', secondsOption, 5)
    .option('--all-orphans', 'also reports orphans that their rule keeps only on deletion or only on expiry');
}

export function withWrites(command: Command): Command {
  return command
    .option(
      '--dry-run',
      'prints writes with their conditions, counts them and their cost, and writes nothing',
    )
    .option('--wcu <units>', 'write units per second, indexes included, or `unlimited`', unitsOption, 100)
    .option('--allow-remove', 'also removes copies, and attributes that no rule names')
    .option('--without-stream', 'writes even if the table has no stream and therefore no worker');
}
