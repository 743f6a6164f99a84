import { didYouMean } from './nearest.ts';
import { isObject, typeOf } from './type-of.ts';

/**
 * What a value has to be: a field of a spec, or what a function of a rule returns. Compilers check both, but `denorm` and Lambda
 * run a project's files without types. Text from outside, such as messages and the environment, is parsed by zod.
 */
export interface Requirement {
  /** `a function` */
  readonly words: string;
  /** Undefined if the value is as expected. */
  readonly misfit: (value: unknown) => Misfit | undefined;
}

/** How a value is not as expected. */
interface Misfit {
  readonly code: 'field.unknown' | 'field.invalid';
  /** What the value is, without content: `an object whose sk is a number`. */
  readonly found: string;
  /**
   * A message about source code, so that it may quote words and numbers: `Expected a function of rule a to be …`.
   * @param what the value is: `rule a`
   */
  readonly message: (what: string) => string;
}

/**
 * @param words `a function`
 * @param remedy default: `correct it`, or `add it`
 */
export function requirement(words: string, fits: (value: unknown) => boolean, remedy?: string): Requirement {
  return explained(words, (value) => (fits(value) ? undefined : typeOf(value)), remedy);
}

/** @param found what the value is, without content; undefined if it is as expected */
export function explained(
  words: string,
  found: (value: unknown) => string | undefined,
  remedy?: string,
): Requirement {
  return {
    words,
    misfit(value) {
      const instead = found(value);
      if (instead === undefined) return undefined;
      const [got, usual] =
        value === undefined ? ['none', 'add it'] : [quoted(value) ?? instead, 'correct it'];
      return {
        code: 'field.invalid',
        found: instead,
        message: (what) => `Expected ${what} to be ${words}, got ${got}: ${remedy ?? usual}`,
      };
    },
  };
}

function quoted(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? `'${value}'` : undefined;
}

export const aBoolean = requirement('true or false', (value) => typeof value === 'boolean');
export const aFunction = requirement('a function', (value) => typeof value === 'function');
export const aNumber = requirement('a number', (value) => typeof value === 'number');
export const aText = requirement('text', (value) => typeof value === 'string');
const anObject = requirement('an object', isObject);
export const anything = requirement('any value', () => true);

export function oneOf(...words: readonly string[]): Requirement {
  const all = words.map((word) => `'${word}'`);
  const listed = [...all.slice(0, -2), all.slice(-2).join(' or ')].join(', ');
  return requirement(listed, (value) => typeof value === 'string' && words.includes(value));
}

export function aWholeNumber(most: number): Requirement {
  // Not by toLocaleString: Node loads its tables of languages for that, a fifth of a cold start.
  const highest = String(most).replace(/\B(?=(\d{3})+$)/g, ',');
  return requirement(
    `a whole number from 1 to ${highest}`,
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most,
  );
}

export function optional({ words, misfit }: Requirement): Requirement {
  return {
    words: `${words}, or undefined`,
    misfit: (value) => (value === undefined ? undefined : misfit(value)),
  };
}

/** @param each what the elements have to be */
export function list(
  words: string,
  each: Requirement,
  { least = 0, most = Number.POSITIVE_INFINITY } = {},
): Requirement {
  const aList = explained(words, (value) => {
    if (!Array.isArray(value)) return typeOf(value);
    return value.length < least || value.length > most ? `one of ${value.length}` : undefined;
  });
  return {
    words,
    misfit(value) {
      const misfit = aList.misfit(value);
      if (misfit !== undefined || !Array.isArray(value)) return misfit;
      // By its length, because a list may have holes.
      for (let index = 0; index < value.length; index += 1) {
        const inner = each.misfit(value[index]);
        if (inner !== undefined) return within(`element ${index + 1}`, inner, `one with ${inner.found}`);
      }
      return undefined;
    },
  };
}

/** An object, each of whose fields has to be the same. */
export function record(each: Requirement): Requirement {
  return object((value) => Object.fromEntries(Object.keys(value).map((name) => [name, each])));
}

type Fields = Readonly<Record<string, Requirement>>;

/**
 * An object with these fields and no others.
 * @param fields they may follow from the object
 */
export function object(fields: Fields | ((value: Readonly<Record<string, unknown>>) => Fields)): Requirement {
  return {
    words: anObject.words,
    misfit(value) {
      if (!isObject(value)) return anObject.misfit(value);
      const required = typeof fields === 'function' ? fields(value) : fields;
      const known = Object.keys(required);
      const unknown = Object.keys(value).find((name) => !known.includes(name));
      if (unknown !== undefined)
        return {
          code: 'field.unknown',
          found: 'an object with another field',
          message: (what) => `Expected a field of ${what}, got '${unknown}': ${didYouMean(unknown, known)}`,
        };
      for (const [name, { misfit }] of Object.entries(required)) {
        const inner = misfit(value[name]);
        if (inner !== undefined) return within(name, inner, `an object whose ${name} is ${inner.found}`);
      }
      return undefined;
    },
  };
}

function within(part: string, { code, message }: Misfit, found: string): Misfit {
  return { code, found, message: (what) => message(`${part} of ${what}`) };
}
