import { type DenormError, InvalidItemError, RuleError } from '../../model/errors.ts';
import type { AnyKind } from '../../model/kind.ts';

export interface Tries<Example, Result> {
  readonly passed: readonly { readonly example: Example; readonly result: Result }[];
  readonly faults: readonly string[];
}

/**
 * Tries a function of a rule on examples, which may be values that the application never writes. To read what is not declared,
 * or an id that is missing, is always a fault; to throw, to return something else, or to write no key, if it happens on every
 * example.
 * @param kind the one whose examples may be wrong
 * @param always codes that count as faults on one example too
 */
export function tryFunction<Example, Result>(
  kind: AnyKind,
  examples: readonly Example[],
  run: (example: Example) => Result,
  always: readonly string[] = [],
): Tries<Example, Result> {
  const passed: { readonly example: Example; readonly result: Result }[] = [];
  const failures: DenormError[] = [];
  for (const example of examples)
    try {
      passed.push({ example, result: run(example) });
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
