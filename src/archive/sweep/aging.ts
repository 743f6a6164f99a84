import type { Aging, ArchiveRule } from '../../model/archive-rule.ts';
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { CopyLocation } from '../../model/copy-location.ts';
import type { GuardedUpdate } from '../../model/guarded-write.ts';
import { attribute, type Item, keyIn } from '../../model/item.ts';
import { type AnyKind, isOfKind, viewOf } from '../../model/kind.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import { guardWhole } from '../../propagation/plan/guard.ts';
import { guarded } from '../../propagation/plan/rule-functions.ts';

const day = 86_400_000;

/** How long there is between the expiry that a sweep gives and the moment in which it gives it, in milliseconds. */
const notice = 7 * day;

/** An archive rule with items that age. */
export interface AgingRule extends ArchiveRule {
  readonly ages: Aging;
}

/** Where something stands that goes with an aged item. */
export interface CompanionLocation {
  readonly kind: AnyKind;
  readonly location: CopyLocation;
}

/**
 * What an item is to a rule whose items age:
 * - `foreign`: not of the kind that ages;
 * - `young`: not done with, or not for long enough;
 * - `aged`: to be given an expiry, with what stands in these places;
 * - `unclassified`: it does not say what the rule asks of it. The reason holds no content.
 */
export type AgeVerdict =
  | { readonly is: 'foreign' }
  | { readonly is: 'young' }
  | { readonly is: 'aged'; readonly companions: readonly CompanionLocation[] }
  | { readonly is: 'unclassified'; readonly code: string; readonly reason: string };

export function ages(rule: ArchiveRule): rule is AgingRule {
  return rule.ages !== undefined;
}

/** Judges an item by its own content. Pure. @param now in epoch milliseconds */
export function classifyAge(table: TableNames, rule: AgingRule, item: Item, now: number): AgeVerdict {
  const { ages: aging } = rule;
  if (!isOfKind(table, aging.kind, item)) return { is: 'foreign' };
  const key = keyIn(table, item);
  return unlessInvalid(
    () =>
      guarded({ rule, key, concerns: 'root' }, (): AgeVerdict => {
        const view = viewOf(table, aging.kind, item, { rule: rule.name, role: 'root', reads: aging.reads });
        if (!aging.when(view)) return { is: 'young' };
        const since = aging.since(view);
        if (Number.isNaN(since)) return undated(rule);
        if (isWithinAge(aging, since, now)) return { is: 'young' };
        return { is: 'aged', companions: aging.with.map(({ kind, at }) => ({ kind, location: at(view) })) };
      }),
    ({ code, message }) => ({ is: 'unclassified', code, reason: message }),
  );
}

function undated({ name, ages: { kind, reads } }: AgingRule): AgeVerdict {
  const reason = `Expected since of rule ${name} to return a time in milliseconds for this ${kind.name}, got NaN: correct its ${reads.join(' or ')}`;
  return { is: 'unclassified', code: 'root.undated', reason };
}

/**
 * A moment that all aged items are older than, to ask an index for them: a day later than need be, because times are
 * written with and without offsets, and an index sorts them as text.
 * @param now in epoch milliseconds
 */
export function agedBefore({ days }: Aging, now: number): Date {
  return new Date(now - days * day + day);
}

/** Whether something was so recent that an item to which it happened has not aged since. Both in epoch milliseconds. */
export function isWithinAge({ days }: Aging, at: number, now: number): boolean {
  return now - at < days * day;
}

/** The expiry that an item is given now: in a week, in epoch seconds. @param now in epoch milliseconds */
export function expiryFrom(now: number): AttributeValue {
  return { N: String(Math.floor((now + notice) / 1000)) };
}

/**
 * The update that gives an item its expiry, on condition that it has none and stands as it was archived.
 * @param archived the very state that stands in the archive
 * @param reads attributes that are compared in any case
 */
export function planExpiry(
  table: TableNames,
  archived: Item,
  reads: readonly string[],
  expiry: AttributeValue,
): { readonly update: GuardedUpdate; readonly narrowed: boolean } {
  const { expect, narrowed } = guardWhole(archived, [table.ttl, ...reads]);
  const key = keyIn(table, archived);
  return {
    update: { key, set: { [table.ttl]: expiry }, remove: [], expect: { ...expect, [table.ttl]: undefined } },
    narrowed,
  };
}

/** What an item says of its expiry, in epoch seconds: undefined where it has none, not a number where that is none. */
export function expiryOf(table: TableNames, item: Item): number | undefined {
  const value = attribute(item, table.ttl);
  if (value === undefined) return undefined;
  return 'N' in value ? Number(value.N) : Number.NaN;
}
