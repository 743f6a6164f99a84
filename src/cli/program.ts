import { Command } from 'commander';
import { archiveCommand } from './archive/command.ts';
import { backfillCommand } from './backfill/command.ts';
import { checkCommand } from './check/command.ts';
import { costCommand } from './cost/command.ts';
import { devCommand } from './dev/command.ts';
import { dlqCommand } from './dlq/command.ts';
import { explainCommand } from './explain/command.ts';
import { initCommand } from './init/command.ts';
import { invokeCommand } from './invoke/command.ts';
import { exampleKeys } from './output/text.ts';
import { nameProject } from './project.ts';
import { redriveCommand } from './redrive/command.ts';
import { repairCommand } from './repair/command.ts';
import { rulesCommand } from './rules/command.ts';
import { setupSamCommand } from './setup-sam/command.ts';
import { simulateCommand } from './simulate/command.ts';
import { sweepCommand } from './sweep/command.ts';
import { templateCommand } from './template/command.ts';
import { verifyCommand } from './verify/command.ts';
import { version } from './version.ts';

/** The `denorm` command with all its subcommands. */
export const program = new Command('denorm')
  .description(
    'Keeps denormalized copies in DynamoDB equal to their root.\n\n' +
      'The deployed worker is a set of Lambda functions. These commands inspect and operate it, or run it on this machine.',
  )
  .addHelpText(
    'after',
    () =>
      '\nExit codes:\n  0  success\n  1  findings, or work that failed or is unfinished\n  2  wrong usage, an invalid rule, or a table, stack, bucket or file that is missing or unreachable\n\n' +
      `Item keys are written as JSON: '${exampleKeys.root()}'`,
  )
  .option(
    '--config <file>',
    'the project (default: denorm.config.ts in this folder, or the nearest above it)',
    nameProject,
  )
  .version(version, '--version', 'prints the version')
  // `archive show` has its own --version.
  .enablePositionalOptions();

/** Makes a command and its subcommands throw instead of ending the process. */
function prepared(command: Command): Command {
  for (const below of command.commands) prepared(below);
  return command.exitOverride().showHelpAfterError('(--help lists the options)');
}

const commands = [
  initCommand,
  devCommand,
  checkCommand,
  invokeCommand,
  explainCommand,
  costCommand,
  rulesCommand,
  templateCommand,
  simulateCommand,
  verifyCommand,
  repairCommand,
  backfillCommand,
  dlqCommand,
  redriveCommand,
  sweepCommand,
  archiveCommand,
  setupSamCommand,
];
for (const make of commands) program.addCommand(prepared(make()));
program.exitOverride();
