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
  console.error(`denorm: ${message}`);
  return error instanceof DenormError && wrongUse.test(error.code) ? exitCodes.wrongUse : exitCodes.failed;
}
