import { CommanderError } from 'commander';
import { installParseJson } from '../model/basics/parse-json.ts';
import type { KeyNames } from '../model/items/table-names.ts';
import { exitCodes, reportError, UsageError } from './errors.ts';
import { stopWithLauncher } from './interruption.ts';
import { printsJson } from './output/json.ts';
import { printOnlyVisible } from './output/visible.ts';
import { denorm } from './program.ts';
import { project } from './project.ts';

installParseJson();
printOnlyVisible(process.stdout);
printOnlyVisible(process.stderr);
stopWithLauncher();

process.stdout.on('error', ({ code = 'no error code' }: NodeJS.ErrnoException) => {
  // Not an error: a reader such as `| head` has closed the pipe. Servers in this process end with it.
  if (code === 'EPIPE') process.exit(exitCodes.fine);
  console.error(
    `denorm: Expected standard output to take what is printed, but it refuses it (${code}): output is missing`,
  );
  process.exit(exitCodes.failed);
});

try {
  await denorm(await keyNames()).parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = reportError(error);
  else if (error.exitCode === 0) process.exitCode = exitCodes.fine;
  else {
    if (printsJson) reportError(new UsageError('usage.command', error.message.replace(/^error: /, '')));
    process.exitCode = exitCodes.wrongUse;
  }
}

// While Node takes its event loop down, a signal ends the process in spite of its listeners, and the exit code is lost: after
// Ctrl-C, the launcher's may come that late. An explicit exit keeps them.
process.on('beforeExit', () => process.exit());

/** Help is written with the names of the project's keys, if this is a project. */
async function keyNames(): Promise<KeyNames> {
  const common = { pk: 'PK', sk: 'SK' };
  if (!process.argv.some((word) => ['--help', '-h', 'help'].includes(word))) return common;
  return project().then(
    ({ config }) => config.table,
    () => common,
  );
}
