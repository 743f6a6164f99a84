import { DenormError } from '../../src/model/basics/errors.ts';

/** The error of a call that is expected to be refused. */
export function refusal(call: () => unknown): DenormError {
  try {
    call();
  } catch (error) {
    if (error instanceof DenormError) return error;
    throw error;
  }
  throw new Error('Expected a refusal, got none');
}
