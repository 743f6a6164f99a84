import { type DenormError, InvalidItemError, RuleError } from '../model/basics/errors.ts';
import type { BoundKind } from '../model/kinds/kind.ts';
import { impure, repeated } from '../testing/purity.ts';

export interface Tries<Example, Result> {
  readonly passed: readonly { readonly example: Example; readonly result: Result }[];
  readonly faults: readonly string[];
}

export interface Tried {
  /** In words: `rootOf of rule title-on-tags`. */
  readonly what: string;
  /** The one whose examples may be wrong. */
  readonly kind: BoundKind;
  /** Codes that count as faults on one example too. */
  readonly always?: readonly string[];
}

/**
 * Tries a function of a rule on examples, which may be values that the application never writes. To read what is not declared,
 * or an id that is missing, is always a fault, and so is another result at another time; to throw, to return something else, or to
 * write no key, if it happens on every example.
 */
export function tryFunction<Example, Result>(
  { what, kind, always = [] }: Tried,
  examples: readonly Example[],
  run: (example: Example) => Result,
): Tries<Example, Result> {
  const passed: { readonly example: Example; readonly result: Result }[] = [];
  const failures: DenormError[] = [];
  for (const example of examples)
    try {
      const { result, isRepeatable } = repeated(() => run(example));
      if (!isRepeatable)
        return { passed, faults: [`${what} gives two results for the same items: ${impure}`] };
      passed.push({ example, result });
    } catch (error) {
      if (!(error instanceof InvalidItemError) && !(error instanceof RuleError)) throw error;
      failures.push(error);
    }
  const certain = failures.filter(
    ({ code, message }) =>
      code === 'rule.undeclared-read' ||
      (code === 'key.unwritable' && message.includes('to be text, got')) ||
      always.includes(code),
  );
  const everywhere = failures.every(({ code }) =>
    ['rule.threw', 'rule.returned', 'key.unwritable'].includes(code),
  );
  const [failure] = failures;
  if (certain.length > 0 || passed.length > 0 || !everywhere || failure === undefined)
    return { passed, faults: [...new Set(certain.map(({ message }) => message))] };
  return { passed, faults: [`${failure.message}. If ${kind.name} has other values, give it examples`] };
}
