import { CommanderError } from 'commander';
import { exitCodes, reportError } from './errors.ts';

// Not an error: a reader such as `| head` has closed the pipe. Servers in this process end with it.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? exitCodes.fine : exitCodes.failed),
);

try {
  // Imported here because loading the program loads the rules, and an invalid rule throws.
  const { program } = await import('./program.ts');
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = reportError(error);
  else process.exitCode = error.exitCode === 0 ? exitCodes.fine : exitCodes.wrongUse;
}
