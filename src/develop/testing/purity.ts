import { DenormError, InvalidItemError } from '../../model/errors.ts';
import { type Item, isLegalKey } from '../../model/item.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { viewOf } from '../../model/view.ts';
import { reader } from './relation-of.ts';

/** A promise that a function of a rule does not keep. */
export interface FunctionFault {
  /** The function: `when.root`, `located.at`, `rootOf`, or `derive.<attribute>`. */
  readonly name: string;
  /** What is wrong and what to do, the same words wherever it goes wrong in the same way. */
  readonly what: string;
}

type Call = readonly [name: string, call: (frozen: boolean) => unknown];

/** Calls each function of the rule for this root several times, at different times, and tells what is wrong with them. */
export function faultsOnRoot(table: TableNames, rule: Rule, root: Item): FunctionFault[] {
  const { located } = rule;
  if (located.in === 'itself') return faultsOnCopy(table, rule, root, root);
  const call = (frozen: boolean) => located.at(inputs(table, rule, root, undefined, frozen).root);
  const faults = faultsOf(predicates(table, rule, root));
  return faults.length > 0 || !applies(table, rule, root) ? faults : faultsOf([['located.at', call]]);
}

/** The same for a copy, and for what the root becomes on it. @param root undefined if there is none */
export function faultsOnCopy(
  table: TableNames,
  rule: Rule,
  root: Item | undefined,
  copy: Item,
): FunctionFault[] {
  const itself = rule.located.in === 'itself';
  const faults = itself ? faultsOf(predicates(table, rule, copy)) : [];
  if (faults.length > 0) return faults;
  const rootOf: Call[] = itself
    ? []
    : [['rootOf', (frozen) => rule.rootOf(inputs(table, rule, copy, copy, frozen).copy)]];
  const derive =
    root === undefined || !applies(table, rule, root)
      ? []
      : Object.entries(rule.derive).map(
          ([name, one]): Call => [`derive.${name}`, (frozen) => one(inputs(table, rule, root, copy, frozen))],
        );
  return faultsOf([...rootOf, ...derive]);
}

function predicates(table: TableNames, rule: Rule, root: Item): Call[] {
  const { when } = rule;
  if (when === undefined) return [];
  return [['when.root', (frozen) => when.root(inputs(table, rule, root, undefined, frozen).root)]];
}

/** Whether the other functions are called for this root at all. */
function applies(table: TableNames, rule: Rule, root: Item): boolean {
  try {
    return rule.when === undefined || rule.when.root(inputs(table, rule, root, undefined, false).root);
  } catch {
    return false;
  }
}

function inputs(table: TableNames, rule: Rule, root: Item, copy: Item | undefined, frozen: boolean) {
  const views = {
    root: viewOf(table, rule.root, root, reader(rule, 'root')),
    copy: viewOf(table, rule.copy, copy ?? root, reader(rule, 'copy')),
  };
  return frozen ? { root: frozenView(views.root), copy: frozenView(views.copy) } : views;
}

/** A view whose values cannot be changed. */
function frozenView<View extends object>(view: View): View {
  return new Proxy(Object.freeze(view), { get: (target, name) => deepFrozen(Reflect.get(target, name)) });
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}

function faultsOf(calls: readonly Call[]): FunctionFault[] {
  return calls.flatMap(([name, call]) => {
    const what = faultOf(name, call);
    return what === undefined ? [] : [{ name, what }];
  });
}

function faultOf(name: string, call: (frozen: boolean) => unknown): string | undefined {
  const first = answerOf(() => under(0, () => call(false)));
  if ('error' in first) return errorText(name, first.error);
  const second = answerOf(() => under(1, () => call(false)));
  if ('error' in second || text(first.value) !== text(second.value))
    return `${name} gives two results for the same items: it must not use the time, random numbers, or anything that is kept between calls`;
  if (first.value instanceof Promise) return `${name} returns a promise: functions of a rule are synchronous`;
  const frozen = answerOf(() => under(0, () => call(true)));
  if ('error' in frozen) return `${name} changes what it is given: copy it first`;
  return resultText(name, first.value);
}

function resultText(name: string, value: unknown): string | undefined {
  if (name === 'when.root')
    return typeof value === 'boolean' ? undefined : `${name} gives ${kindOf(value)}: return true or false`;
  if (name.startsWith('derive.')) {
    const isDerived = value === undefined || typeof value === 'string' || Number.isFinite(value);
    return isDerived
      ? undefined
      : `${name} gives ${kindOf(value)}: return text, a finite number, or undefined`;
  }
  if (value === undefined && name === 'rootOf') return undefined;
  if (name === 'located.at' && Array.isArray(value))
    return value.map((one) => resultText(name, one)).find((fault) => fault !== undefined);
  if (typeof value !== 'object' || value === null || !('pk' in value) || typeof value.pk !== 'string')
    return `${name} gives ${kindOf(value)}: return an object with the text pk`;
  if ('sk' in value && !isLegalKey({ pk: value.pk, sk: String(value.sk) }))
    return `${name} gives a key that DynamoDB rejects: make the schema reject attributes that are empty or too long`;
  return undefined;
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

function answerOf(run: () => unknown): { readonly value: unknown } | { readonly error: unknown } {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

function text(value: unknown): string {
  return `${typeof value} ${JSON.stringify(value)}`;
}

const RealDate = Date;
const realRandom = Math.random;

/** Each variant is at another time, with other random numbers. More than a leap year apart, so that weekdays differ as well. */
const shift = 400 * 86_400_000 + 12_345_678;

/** Runs a function under another clock and other random numbers. */
function under<T>(variant: number, run: () => T): T {
  class ShiftedDate extends RealDate {
    constructor(...parts: [] | [number | string | Date]) {
      if (parts.length === 0) super(RealDate.now() + variant * shift);
      else super(...(parts as [number]));
    }

    static override now(): number {
      return RealDate.now() + variant * shift;
    }
  }
  globalThis.Date = ShiftedDate as DateConstructor;
  Math.random = () => (variant + 1) / 7;
  try {
    return run();
  } finally {
    globalThis.Date = RealDate;
    Math.random = realRandom;
  }
}
