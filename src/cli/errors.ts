import { DenormError } from '../domain/errors.ts';

/** Exit codes, the same everywhere. */
export const exitCodes = { fine: 0, failed: 1, wrongUse: 2 } as const;

/** Thrown where a command was asked for what it cannot do: its message says what was expected, what came, what to do. */
export class UsageError extends DenormError {
  override readonly name = 'UsageError';
}

/** Codes of errors that mean that the command was used wrongly, or that what it was pointed at cannot be used or reached. */
const wrongUse =
  /^((usage|config|server|endpoint|template|table|filter|rule|kind|key|event|archive-folder|folder|stack)\.|aws\.(network|region|no-credentials|credentials|not-found)$)/;

/** Says in one sentence what went wrong, without a stack trace, and gives the exit code for it. */
export function reportError(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  const source = sourceOf(error);
  console.error(`denorm: ${source === undefined ? '' : `${source}: `}${message}`);
  const isWrongUse = source !== undefined || (error instanceof DenormError && wrongUse.test(error.code));
  return isWrongUse ? exitCodes.wrongUse : exitCodes.failed;
}

/** The file and line of a rule, or another file, that is no TypeScript. */
function sourceOf(error: unknown): string | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  return /^file:\/\/\S+:\d+$/m.exec(error.stack ?? '')?.[0];
}
