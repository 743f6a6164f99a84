import type { Command } from 'commander';
import { type DriftOptions, withScan, withSearch, withWrites } from './options.ts';
import { runDrift } from './run.ts';

export function verifyCommand(command: Command): Command {
  return withSearch(withScan(command))
    .option(
      '--show-values',
      'also prints the actual and expected values of differing attributes: item content',
    )
    .addHelpText('after', helpAfter)
    .action((options: DriftOptions) => runDrift('verify', options));
}

export function repairCommand(command: Command): Command {
  return withWrites(withSearch(withScan(command)))
    .addHelpText('after', helpAfter)
    .action((options: DriftOptions) => runDrift('repair', options));
}

export function backfillCommand(command: Command): Command {
  return withWrites(withScan(command))
    .addHelpText('after', helpAfter)
    .action((options: DriftOptions) => runDrift('backfill', options));
}

const helpAfter = `
Findings, propagations, costs and examples: docs/operations.md. Ctrl-C leaves a resume point in .denorm/ for --resume. Exits 1 if
drift is left or the command is stopped.`;
