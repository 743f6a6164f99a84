import { InvalidItemError } from './errors.ts';

/** What comes of an item, or what is said instead of one that does not hold what its rule needs. Other errors are thrown on. */
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
