import { InvalidItemError } from './errors.ts';

/** The result of `run`, or of `instead` if `run` throws an InvalidItemError. Other errors are rethrown. */
export function unlessInvalid<Result, Instead>(
  run: () => Result,
  instead: (error: InvalidItemError) => Instead,
): Result | Instead {
  try {
    return run();
  } catch (error) {
    if (error instanceof InvalidItemError) return instead(error);
    throw error;
  }
}
