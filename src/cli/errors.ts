import { DenormError, stackPlaces } from '../model/basics/errors.ts';
import { visible } from '../model/basics/text.ts';
import { fromAws } from '../worker/adapters/aws-errors.ts';
import { printsJson } from './output/json.ts';

export const exitCodes = { fine: 0, failed: 1, wrongUse: 2 } as const;

/** Thrown if a command is used wrongly. The message says what was expected, what was found, and what to do. */
export class UsageError extends DenormError {
  override readonly name = 'UsageError';
}

/** Error codes that mean that a command was used wrongly, or that its target is unusable or unreachable. */
const wrongUse =
  /^((usage|config|server|import|endpoint|template|table|filter|field|rule|kind|key|event|archive-folder|folder|stack|sam)\.|aws\.(unreachable|network|region|no-credentials|credentials|not-found)$)/;

/**
 * Prints the error's code and one sentence, without a stack trace or causes, and returns the exit code. Prints
 * only messages that cannot quote an item: our own, Node's messages about files and modules, and errors in
 * source files.
 */
export function reportError(thrown: unknown): number {
  // Not every request of the commands goes through an adapter.
  const error = isRefusedConnection(thrown) ? fromAws(thrown, 'A request') : thrown;
  const message = isSafe(error) ? error.message : unexpected(error);
  const code = error instanceof DenormError ? error.code : undefined;
  const text = `denorm: ${code === undefined ? '' : `${code}: `}${message}`;
  console.error(printsJson ? JSON.stringify({ error: { code, message } }) : visible(text));
  return code !== undefined && wrongUse.test(code) ? exitCodes.wrongUse : exitCodes.failed;
}

/**
 * Work that an error may end before its end, the report of what was done, then the error. Sets the exit code.
 * @param report prints; returns whether all is fine
 * @param isEmpty whether nothing was done: then the error is thrown, and nothing reported
 */
export async function reportedWork(
  work: () => Promise<void>,
  report: (hasFailed: boolean) => Promise<boolean>,
  isEmpty = () => false,
): Promise<void> {
  const failure: unknown = await work().catch((error: unknown) => {
    if (isEmpty()) throw error;
    return error;
  });
  const isFine = await report(failure !== undefined);
  process.exitCode = isFine && failure === undefined ? exitCodes.fine : exitCodes.failed;
  if (failure !== undefined) reportError(failure);
}

function isRefusedConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

/** Codes of Node errors whose messages name files, modules, or connections. */
const nodeCode =
  /^(E[A-Z0-9]+|ERR_(MODULE|UNKNOWN|UNSUPPORTED|PACKAGE|INVALID_MODULE|INVALID_TYPESCRIPT)_\w+)$/;

function isSafe(error: unknown): error is Error {
  if (error instanceof DenormError) return true;
  return (
    error instanceof Error &&
    !('$metadata' in error) &&
    'code' in error &&
    typeof error.code === 'string' &&
    nodeCode.test(error.code)
  );
}

/** Describes any other error without its message, which may quote data that a service, a parser, or a schema read. */
function unexpected(error: unknown): string {
  if (!(error instanceof Error)) return `Expected an error, got a thrown ${typeof error}: please report it`;
  const [at] = stackPlaces(error);
  const where = at === undefined ? '' : ` at ${at}`;
  return `An unexpected ${error.name}${where}: its message is omitted, because it may contain item content; please report it`;
}
