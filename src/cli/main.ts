import { CommanderError } from 'commander';
import { exitCodes, reportError } from './errors.ts';

// A reader that has seen enough (`| head`) is no failure; a server of ours ends with this process.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? exitCodes.fine : exitCodes.failed),
);

try {
  // Not before: a rule that must not be is refused while it is loaded.
  const { program } = await import('./program.ts');
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = reportError(error);
  else process.exitCode = error.exitCode === 0 ? exitCodes.fine : exitCodes.wrongUse;
}
