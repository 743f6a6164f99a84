import { InvalidItemError } from './errors.ts';

/** Other errors than an InvalidItemError are rethrown. */
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
