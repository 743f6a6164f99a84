import { type Command, Option } from 'commander';
import { secondsOption, shareOption, unitsOption } from '../options/option-values.ts';
import { withRules } from '../options/rules-in-force.ts';
import { withTableOptions } from '../options/services.ts';
import { withState } from '../options/state.ts';
import { runDrift } from './run.ts';
import type { DriftOptions } from './work.ts';

export function verifyCommand(command: Command): Command {
  return withSearch(withScan(command)).action((options: DriftOptions) => runDrift('verify', options));
}

export function repairCommand(command: Command): Command {
  return withWrites(withSearch(withScan(command))).action((options: DriftOptions) =>
    runDrift('repair', options),
  );
}

export function backfillCommand(command: Command): Command {
  return withWrites(withScan(command.usage('--rule <name> [options]')))
    .requiredOption('--rule <name>', 'the rule or aggregate whose roots or targets are propagated; required')
    .addOption(
      new Option('--root <key>', 'only this root or target, without a scan; as JSON').conflicts([
        'sample',
        'resume',
      ]),
    )
    .action((options: DriftOptions) => runDrift('backfill', options));
}

function withScan(command: Command): Command {
  return withState(withRules(withTableOptions(command)), 'folder of the resume point that Ctrl-C leaves')
    .option('--sample <share>', 'only a random share of the table, such as 1%', shareOption)
    .option('--rcu <units>', 'read units per second, or `unlimited`', unitsOption, 100)
    .option('--resume', 'continues where the same command, with the same options, stopped')
    .option('--json', 'JSON lines for machines: one for each finding, then a summary')
    .addHelpText(
      'after',
      '\nFindings, costs and examples: docs/operations.md. Exits 1 if drift is left, or nothing was looked at.',
    );
}

function withSearch(command: Command): Command {
  return command
    .option('--rule <name>', 'only this rule or aggregate')
    .option('--grace <seconds>', 'how long a change may take to reach a copy', secondsOption, 5)
    .option('--all-orphans', 'also reports orphans that their rule keeps only on deletion or only on expiry');
}

function withWrites(command: Command): Command {
  return command
    .option(
      '--dry-run',
      'prints writes with their conditions, counts them and their cost, and writes nothing',
    )
    .option('--wcu <units>', 'write units per second, indexes included, or `unlimited`', unitsOption, 100)
    .option('--allow-remove', 'also removes copies, and attributes that no rule names')
    .option('--without-stream', 'writes even if the table has no stream and therefore no worker');
}
