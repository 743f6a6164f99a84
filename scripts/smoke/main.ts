/**
 * `npm run smoke -- --stack <name>`: proves a deployed stack. It writes items of its own, waits for what the stack makes
 * of them, tries every form of update on the table, reads event sources and alarms, and removes what it wrote.
 */
import { Command, CommanderError } from 'commander';
import { exitCodes, reportError, UsageError } from '../../src/cli/errors.ts';
import { interruption } from '../../src/cli/interruption.ts';
import { countOption } from '../../src/cli/options/option-values.ts';
import { type WhereOptions, withConnection } from '../../src/cli/options/where.ts';
import { reportText } from './lines.ts';
import { smoke } from './smoke.ts';

interface Options extends WhereOptions {
  readonly within: number;
  readonly json?: true;
}

const command = withConnection(new Command('smoke'))
  .description(
    'Proves a deployed stack: writes items of its own, waits for their copies, and removes them again.',
  )
  .option('--within <seconds>', 'how long each copy is waited for', countOption, 150)
  .option('--json', 'the report as one JSON object, for machines')
  .addHelpText(
    'after',
    '\nExit codes:\n  0  nothing failed\n  1  something failed, or was left behind: the report says what to do\n' +
      '  2  wrong use, or a stack that is not there or out of reach\n\nCONTRIBUTING.md lists the permissions that it needs.',
  )
  .exitOverride()
  .showHelpAfterError('(--help shows what can be said)')
  .action(async ({ stack, within, json, ...where }: Options) => {
    if (stack === undefined)
      throw new UsageError('usage.stack', 'Expected --stack NAME, got none: say which stack to prove');
    const interrupted = interruption();
    try {
      const report = await smoke({ ...where, stack, within, asked: interrupted.asked });
      console.log(json ? JSON.stringify(report, undefined, 2) : reportText(report));
      process.exitCode = report.passed ? exitCodes.fine : exitCodes.failed;
    } finally {
      interrupted.end();
    }
  });

try {
  await command.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = reportError(error);
  else process.exitCode = error.exitCode === 0 ? exitCodes.fine : exitCodes.wrongUse;
}
