import { DenormError } from '../model/basics/errors.ts';

/** Thrown if the local server, the table or its stream is unusable. The message is one sentence. */
export class LocalError extends DenormError {
  override readonly name = 'LocalError';

  constructor(code: string, message: string, cause?: unknown) {
    super(code, message, cause === undefined ? {} : { cause });
  }
}

/** The message of any thrown value, for the end of a sentence of our own. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Why a program failed that `execFile` ran: the last line that it wrote to stderr, otherwise how it ended. */
export function lastWordsOf(error: unknown): string {
  const { stderr, code, signal } = Object(error);
  const said = String(stderr ?? '')
    .trim()
    .split('\n')
    .at(-1);
  if (said) return said;
  if (signal) return `it was ended by ${signal}`;
  return typeof code === 'number' ? `it ended with code ${code}` : messageOf(error);
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
