import { isProperties, listOf } from '../cloudformation.ts';

/**
 * Evaluates everything of a template that does not require a deployed stack.
 * @param values of parameters and pseudo parameters
 */
export function evaluator(conditions: unknown, values: ReadonlyMap<string, string | number>) {
  /** `AWS::NoValue` is left out, and a reference to a resource stays as it is. */
  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve).filter((member) => member !== undefined);
    if (!isProperties(value)) return value;
    const [[name, operand] = ['', undefined], ...others] = Object.entries(value);
    const known = others.length === 0 ? functions[name]?.(operand) : undefined;
    if (known !== undefined) return known.value;
    const members = Object.entries(value).map(([key, member]) => [key, resolve(member)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }

  const functions: Readonly<Record<string, (operand: unknown) => { readonly value: unknown } | undefined>> = {
    Ref: (name) => ({
      value: name === 'AWS::NoValue' ? undefined : (values.get(String(name)) ?? { Ref: name }),
    }),
    'Fn::If': (operands) => {
      const [condition, whenTrue, whenFalse] = listOf(operands);
      return { value: resolve(holds(condition) ? whenTrue : whenFalse) };
    },
    'Fn::Sub': (text) => {
      if (typeof text !== 'string') return { value: { 'Fn::Sub': text } };
      const known = text.replace(reference, (whole, name: string) => String(values.get(name) ?? whole));
      return { value: known.search(reference) >= 0 ? { 'Fn::Sub': known } : known };
    },
    'Fn::Join': (operands) => {
      const [separator, list] = listOf(operands);
      const parts = listOf(resolve(list));
      return parts.every((part) => typeof part === 'string' || typeof part === 'number')
        ? { value: parts.join(String(separator)) }
        : undefined;
    },
  };

  function holds(condition: unknown): boolean {
    if (typeof condition === 'string')
      return holds(isProperties(conditions) ? conditions[condition] : undefined);
    if (!isProperties(condition)) return false;
    const [[name, operand] = ['', undefined]] = Object.entries(condition);
    const operands = listOf(operand);
    switch (name) {
      case 'Condition':
        return holds(operand);
      case 'Fn::Equals': {
        const [a, b] = operands.map(resolve);
        return !isProperties(a) && String(a) === String(b);
      }
      case 'Fn::Not':
        return !holds(operands[0]);
      case 'Fn::And':
        return operands.every(holds);
      case 'Fn::Or':
        return operands.some(holds);
      default:
        return false;
    }
  }

  return { resolve, holds };
}

/** A name in a text of `Fn::Sub`. */
const reference = /\$\{([^!}][^}]*)\}/g;
