import { Unprojectable } from './errors.ts';

/** What comes of an item, or what is said instead of one that does not hold what its rule needs. Other errors are thrown on. */
export function unlessUnprojectable<Result, Instead>(
  run: () => Result,
  instead: (error: Unprojectable) => Instead,
): Result | Instead {
  try {
    return run();
  } catch (error) {
    if (error instanceof Unprojectable) return instead(error);
    throw error;
  }
}
