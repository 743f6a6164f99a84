import type { AnyKind } from '../../model/kind.ts';
import { patternOf } from '../../model/placeholders.ts';
import { aKind, anIndex, isObject } from '../../model/spec-fields.ts';
import { describeKind, sourceText } from './describe-rule.ts';

/** What a field says, with the source of each function, and with the pattern of what it returns instead, if it has one. */
export interface FieldText {
  readonly source: string;
  readonly pattern: string;
}

export const none = plain('none');

export function plain(text: string): FieldText {
  return { source: text, pattern: text };
}

/** Every field of a rule of any type, by its path: `onDelete`, `located.at`, `computes.Total`, `ages.since`. */
export function fieldsOf({ name: _, ...rule }: { readonly name: string }): ReadonlyMap<string, FieldText> {
  return new Map(
    Object.entries(rule).flatMap(([field, value]: [string, unknown]) =>
      isObject(value) && nameOf(value) === undefined
        ? Object.entries(value).map(([part, one]) => [`${field}.${part}`, fieldText(one)] as const)
        : [[field, fieldText(value)] as const],
    ),
  );
}

export function fieldText(value: unknown): FieldText {
  return {
    source: inWords(value, sourceText),
    pattern: inWords(value, (called) => functionText(called).pattern),
  };
}

/** @param given the arguments of the function, from a view of an item. Default: the view for each */
export function functionText(
  called: unknown,
  given: (view: unknown) => readonly unknown[] = (view) => [view, view],
): FieldText {
  const source = sourceText(called);
  const pattern = patternOf((view) => {
    const value = (called as (...args: readonly unknown[]) => unknown)(...given(view));
    if (typeof value === 'object' && value !== null) return JSON.stringify(value);
    return typeof value === 'string' ? value : undefined;
  });
  return { source, pattern: pattern ?? source };
}

/** The texts before and after: sources, unless patterns tell the difference. Undefined if they are the same. */
export function differenceOf(before: FieldText, after: FieldText) {
  const by = before.pattern === after.pattern ? 'source' : 'pattern';
  return before[by] === after[by] ? undefined : { before: before[by], after: after[by] };
}

function inWords(value: unknown, ofFunction: (called: unknown) => string): string {
  const each = (one: unknown) => inWords(one, ofFunction);
  if (typeof value === 'function') return ofFunction(value);
  if (Array.isArray(value)) return value.map(each).join(', ') || none.source;
  if (!isObject(value)) return value === undefined ? none.source : String(value);
  const parts = () => Object.entries(value).map(([name, one]) => `${name}: ${each(one)}`);
  return nameOf(value) ?? parts().join(', ');
}

/** The name of a kind or an index. */
function nameOf(value: Readonly<Record<string, unknown>>): string | undefined {
  if (anIndex.fits(value)) return `${value['name']} (${value['pk']} / ${value['sk']})`;
  if (!aKind.fits(value)) return undefined;
  const kind = value as unknown as AnyKind;
  return kind.type === undefined ? describeKind(kind) : `${describeKind(kind)}, type ${kind.type}`;
}
