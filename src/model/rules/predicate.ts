import { aFunction, object } from '../basics/requirement.ts';
import { isObject } from '../basics/type-of.ts';
import type { AnyKind, Kind, View } from '../kinds/kind.ts';
import { aKind, attributeNames, requireListed, requireSpec } from '../kinds/spec-fields.ts';

export interface Predicate<SomeKind extends AnyKind = AnyKind> {
  readonly kind: SomeKind;
  readonly reads: readonly string[];
  item(item: View<Record<string, unknown>, string>): boolean;
}

/** What an item must be to be archived. */
export interface PredicateSpec<Attributes, Id extends string, Read extends keyof Attributes & string> {
  readonly reads: readonly Read[];
  readonly item: (item: View<Pick<Attributes, NoInfer<Read>>, Id>) => boolean;
}

/** @throws DenormError `field.unknown`, `field.invalid` or `rule.unknown-attribute` where types were not checked */
export function predicate<
  Attributes,
  Id extends string,
  PkId extends string,
  const Read extends keyof Attributes & string,
>(kind: Kind<Attributes, Id, PkId>, spec: PredicateSpec<Attributes, Id, Read>): Predicate {
  const what = `predicate of ${isObject(kind) ? String(kind.name) : 'a kind'}`;
  requireSpec(object({ kind: aKind, reads: attributeNames, item: aFunction }), { kind, ...spec }, { what });
  requireListed(spec.reads, kind, { what: `reads of ${what}` });
  return { ...(spec as unknown as Omit<Predicate, 'kind'>), kind };
}
