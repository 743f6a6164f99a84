import type { AnyKind } from '../../model/kind.ts';
import { patternOf } from '../../model/placeholders.ts';
import type { IndexNames } from '../../model/table-names.ts';

/**
 * A rule, an aggregate or an archive rule in words. `denorm rules` prints it as text and as JSON, and compares it with that of
 * another version. A function is shown as the pattern of what it returns; without a pattern, as its source.
 */
export interface Description {
  readonly rule: string;
  readonly type: 'rule' | 'aggregate' | 'archive';
  /** What each field of the definition says, an entry a line. A field without entries says nothing. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

export function describeKind(kind: AnyKind): string {
  return `${kind.name} (${kind.pkPattern.pattern} / ${kind.skPattern.pattern})`;
}

/** A kind with its type: without the type, its items are no longer of that kind. */
export function describeTyped(kind: AnyKind): string {
  return kind.type === undefined ? describeKind(kind) : `${describeKind(kind)}, type ${kind.type}`;
}

/** The pattern of a function's text, or the function's source, on one line. */
export function patternOrSource(
  called: unknown,
  textOf: Parameters<typeof patternOf>[0],
  lists?: ReadonlySet<string>,
): string {
  return patternOf(textOf, lists) ?? sourceText(called);
}

/** A function's source on one line. */
export function sourceText(called: unknown): string {
  return String(called).replaceAll(/\s+/g, ' ');
}

/** The keys that a query reads. */
export function rangeText(
  located: { readonly in: string; readonly index?: IndexNames },
  { pk, begins }: { readonly pk: string; readonly begins?: string | undefined },
): string {
  const where = located.index ? `in ${located.index.name}, ${located.index.pk} =` : 'in the partition';
  return `${where} ${pk}${begins === undefined ? '' : `, sort keys that begin with ${begins}`}`;
}

/** Where something is whose place only a function can say. */
export function computedText(
  located: { readonly in: string; readonly index?: IndexNames },
  at: unknown,
): string {
  return `in ${located.index?.name ?? `the ${located.in}`} at ${sourceText(at)}`;
}

/** Two sides' attributes that functions read. */
export function readsText(reads: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return Object.entries(reads)
    .filter(([, names]) => names.length > 0)
    .map(([side, names]) => `${names.join(', ')} of the ${side}`);
}
