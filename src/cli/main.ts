import { Command, CommanderError } from 'commander';
import { demoCommand } from './demo.ts';
import { devCommand } from './dev.ts';
import { exitCodes, reportError } from './errors.ts';
import { invokeCommand } from './invoke.ts';
import { rulesCommand } from './rules.ts';

const program = new Command('denorm')
  .description(
    'Keeps denormalized copies in DynamoDB equal to what their root says.\n\n' +
      'The worker itself runs as Lambda functions; these commands run it on this machine.',
  )
  .addHelpText(
    'after',
    '\nExit codes:\n  0  fine\n  1  findings, or work that failed\n  2  wrong use: an option, a path, an endpoint, a rule\n\n' +
      'Item keys are written as JSON: \'{"PK":"…","SK":"…"}\'',
  )
  .configureHelp({ showGlobalOptions: true });

for (const command of [demoCommand(), devCommand(), invokeCommand(), rulesCommand()])
  program.addCommand(command.exitOverride().showHelpAfterError('(--help shows what can be said)'));

// A reader that has seen enough (`| head`) is no failure; a server of ours ends with this process.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? exitCodes.fine : exitCodes.failed),
);

try {
  await program.exitOverride().parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = reportError(error);
  else process.exitCode = error.exitCode === 0 ? exitCodes.fine : exitCodes.wrongUse;
}
