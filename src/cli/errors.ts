import { DenormError } from '../model/errors.ts';

/** Exit codes, the same everywhere. */
export const exitCodes = { fine: 0, failed: 1, wrongUse: 2 } as const;

/** Thrown where a command was asked for what it cannot do: its message says what was expected, what came, what to do. */
export class UsageError extends DenormError {
  override readonly name = 'UsageError';
}

/** Codes of errors that mean that the command was used wrongly, or that what it was pointed at cannot be used or reached. */
const wrongUse =
  /^((usage|config|server|endpoint|template|table|filter|rule|kind|key|event|archive-folder|folder|stack|sam)\.|aws\.(unreachable|network|region|no-credentials|credentials|not-found)$)/;

/**
 * Says in one sentence what went wrong, without a stack trace and without causes, and gives the exit code for it. Only
 * messages that cannot quote an item are repeated: our own, Node's of files and modules, and those of source files.
 */
export function reportError(error: unknown): number {
  const source = sourceOf(error);
  const message = isSafe(error) ? error.message : unexpected(error);
  console.error(`denorm: ${source === undefined ? '' : `${source}: `}${message}`);
  const isWrongUse = source !== undefined || (error instanceof DenormError && wrongUse.test(error.code));
  return isWrongUse ? exitCodes.wrongUse : exitCodes.failed;
}

/** Codes of Node's errors whose messages name files, modules and connections. */
const nodeCode =
  /^(E[A-Z0-9]+|ERR_(MODULE|UNKNOWN|UNSUPPORTED|PACKAGE|INVALID_MODULE|INVALID_TYPESCRIPT)_\w+)$/;

function isSafe(error: unknown): error is Error {
  if (error instanceof DenormError) return true;
  if (error instanceof SyntaxError) return sourceOf(error) !== undefined;
  return (
    error instanceof Error &&
    !('$metadata' in error) &&
    'code' in error &&
    typeof error.code === 'string' &&
    nodeCode.test(error.code)
  );
}

/** What may be said of any other error: a service, a parser or a schema may have put into its message what it read. */
function unexpected(error: unknown): string {
  if (!(error instanceof Error)) return `Expected an error, got a thrown ${typeof error}: please report it`;
  const at = /^ +at (?:.*\()?(?:file:\/\/)?([^()\n]+:\d+:\d+)\)?$/m.exec(error.stack ?? '')?.[1];
  const where = at === undefined ? '' : ` at ${at}`;
  return `An unexpected ${error.name}${where}: its message is omitted, because it may contain item content; please report it`;
}

/** The file and line of a rule, or another file, that is no TypeScript. */
function sourceOf(error: unknown): string | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  return /^file:\/\/\S+:\d+$/m.exec(error.stack ?? '')?.[0];
}
