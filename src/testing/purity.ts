import { DenormError, InvalidItemError } from '../model/basics/errors.ts';
import { type GivenKey, keyGiven } from '../model/items/given-keys.ts';
import { type Item, isLegalKey } from '../model/items/item.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import { aKey, aRange, derivedValue } from '../plan/returns.ts';
import { copyView, rootView } from '../plan/rule-functions.ts';

type Call = readonly [name: string, call: (frozen: boolean) => unknown];

interface Pair {
  readonly root: Item;
  readonly copy: Item;
}

/** They must be pure, accept what the schemas accept, and keep nothing between calls; called several times, at different times and in another order. */
export function faultsOf(rule: BoundRule, pairs: readonly Pair[]): string[] {
  const calls = pairs.flatMap((pair) => callsFor(rule, pair));
  const faults = calls.flatMap(([name, call]) => faultOf(rule, name, call) ?? []);
  if (faults.length > 0) return [...new Set(faults)];
  const results = calls.map(([, call]) => text(call(false)));
  const reversed = calls.map(([, call]) => call).toReversed();
  const again = reversed.map((call) => text(call(false))).toReversed();
  const other = calls.find((_, index) => results[index] !== again[index]);
  return other === undefined
    ? []
    : [
        `${other[0]} gives another result than before for the same items: it must not keep anything between calls`,
      ];
}

function callsFor(rule: BoundRule, { root, copy }: Pair): Call[] {
  const { when, located } = rule;
  const views = (frozen: boolean) => {
    const [ofRoot, ofCopy] = [rootView(rule, root), copyView(rule, copy)];
    return frozen ? { root: frozenView(ofRoot), copy: frozenView(ofCopy) } : { root: ofRoot, copy: ofCopy };
  };
  const first: Call[] = when === undefined ? [] : [['when.root', (frozen) => when.root(views(frozen).root)]];
  if (located.in !== 'itself') first.push(['rootOf', (frozen) => rule.rootOf(views(frozen).copy)]);
  // For a root for which it is false, or fails, nothing else is called.
  const applies = answerOf(() => when === undefined || when.root(views(false).root));
  if (!('value' in applies) || applies.value !== true) return first;
  const at: Call[] =
    located.in === 'itself' ? [] : [['located.at', (frozen) => located.at(views(frozen).root)]];
  const derive = Object.entries(rule.derive).map(
    ([name, one]): Call => [`derive.${name}`, (frozen) => one(views(frozen))],
  );
  return [...first, ...at, ...derive];
}

function frozenView<View extends object>(view: View): View {
  return new Proxy(Object.freeze(view), { get: (target, name) => deepFrozen(Reflect.get(target, name)) });
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}

export const impure = 'it must not use the time, random numbers, or anything that is kept between calls';

/**
 * Calls it at two times.
 * @throws what it throws at the first
 */
export function repeated<Result>(call: () => Result): {
  readonly result: Result;
  readonly isRepeatable: boolean;
} {
  const result = under(0, call);
  const [first, second] = [answerOf(() => text(result)), answerOf(() => text(under(1, call)))];
  return { result, isRepeatable: 'value' in first && 'value' in second && first.value === second.value };
}

function faultOf(rule: BoundRule, name: string, call: (frozen: boolean) => unknown): string | undefined {
  const tried = answerOf(() => repeated(() => call(false)));
  if ('error' in tried) return errorText(name, tried.error);
  const { result, isRepeatable } = tried.value;
  if (!isRepeatable) return `${name} gives two results for the same items: ${impure}`;
  if (result instanceof Promise) return `${name} returns a promise: functions of a rule are synchronous`;
  const frozen = answerOf(() => under(0, () => call(true)));
  if ('error' in frozen) return `${name} changes what it is given: copy it first`;
  return resultText(rule, name, result);
}

function resultText(rule: BoundRule, name: string, value: unknown): string | undefined {
  const { table } = rule;
  if (name === 'when.root')
    return typeof value === 'boolean' ? undefined : `${name} gives ${kindOf(value)}: return true or false`;
  if (name.startsWith('derive.')) {
    const found =
      typeof value === 'number' && !Number.isFinite(value)
        ? kindOf(value)
        : derivedValue.misfit(value)?.found;
    return found && `${name} gives ${found}: return ${derivedValue.words}`;
  }
  if (value === undefined && name === 'rootOf') return undefined;
  const { located } = rule;
  if (name === 'located.at' && (located.in === 'partition' || located.in === 'index')) {
    const expected = aRange(located.in === 'partition' ? table : located.index);
    const found = expected.misfit(value)?.found;
    return found && `${name} gives ${found}: return ${expected.words}`;
  }
  if (Array.isArray(value))
    return value.map((one) => resultText(rule, name, one)).find((fault) => fault !== undefined);
  const expected = aKey(table);
  const found = expected.misfit(value)?.found;
  if (found !== undefined) return `${name} gives ${found}: return ${expected.words}`;
  // The requirement has said that it is one.
  return isLegalKey(table, keyGiven(table, value as GivenKey))
    ? undefined
    : `${name} gives a key that DynamoDB rejects: make the schema reject attributes that are empty or too long`;
}

function errorText(name: string, error: unknown): string {
  if (error instanceof InvalidItemError)
    return `${name} cannot be computed: ${error.message}. Make the schema accept it, or read another attribute`;
  if (error instanceof DenormError) return `${name} throws ${error.code}: ${error.message}`;
  const thrown = error instanceof Error ? error.name : kindOf(error);
  return `${name} throws ${thrown} on values that the schemas accept: make the schema reject what the function cannot use`;
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return value === null ? 'null' : value === undefined ? 'nothing' : `a value of type ${typeof value}`;
}

function answerOf<Value>(run: () => Value): { readonly value: Value } | { readonly error: unknown } {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

function text(value: unknown): string {
  const member = (_: string, one: unknown) =>
    one instanceof Set ? [...one] : typeof one === 'bigint' ? `${one}n` : one;
  return `${typeof value} ${JSON.stringify(value, member)}`;
}

const RealDate = Date;
const realRandom = Math.random;

/** Each variant is at another time, with other random numbers. More than a leap year apart, so that weekdays differ as well. */
const shift = 400 * 86_400_000 + 12_345_678;

function under<T>(variant: number, run: () => T): T {
  const now = () => RealDate.now() + variant * shift;
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, parts, made) => Reflect.construct(target, parts.length === 0 ? [now()] : parts, made),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  Math.random = () => (variant + 1) / 7;
  try {
    return run();
  } finally {
    globalThis.Date = RealDate;
    Math.random = realRandom;
  }
}
