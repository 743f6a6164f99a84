import { InvalidItemError, RuleError } from '../../model/errors.ts';

/** Codes of a function that is wrong whatever the item. Others may be the fault of an example. */
const faulty = ['rule.returned', 'rule.undeclared-read'];

interface Tried<Result> {
  readonly result: Result | undefined;
  readonly faults: string[];
  /** Of the fault. */
  readonly code?: string;
}

/**
 * What a function returns, or how it fails in a way for which no example is to blame.
 * @param more codes that count as faults too
 */
export function faultsOf<Result>(run: () => Result, more: readonly string[] = []): Tried<Result> {
  try {
    return { result: run(), faults: [] };
  } catch (error) {
    if (!(error instanceof InvalidItemError) && !(error instanceof RuleError)) throw error;
    const { code, message } = error;
    // An id that is missing, and not one that an example has wrong.
    const isMissing = code === 'key.unwritable' && message.includes('to be text, got');
    const isFault = isMissing || [...faulty, ...more].includes(code);
    return { result: undefined, faults: isFault ? [message] : [], code };
  }
}
