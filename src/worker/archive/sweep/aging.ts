import { unlessInvalid } from '../../../model/basics/errors.ts';
import { aBoolean, aNumber } from '../../../model/basics/requirement.ts';
import type { AttributeValue } from '../../../model/items/attribute-value.ts';
import type { CopyLocation } from '../../../model/items/copy-location.ts';
import { locationGiven, textGiven } from '../../../model/items/given-keys.ts';
import { type Item, type ItemKey, keyIn } from '../../../model/items/item.ts';
import { keyParts, type TableNames } from '../../../model/items/table-names.ts';
import { type BoundKind, isOfKind } from '../../../model/kinds/kind.ts';
import { viewOf } from '../../../model/kinds/view.ts';
import type { Aging } from '../../../model/rules/archive-rule.ts';
import type { BoundArchiveRule } from '../../../model/rules/bound-rule.ts';
import type { GuardedUpdate } from '../../../model/work/guarded-write.ts';
import { called } from '../../../plan/call.ts';
import { guardWhole } from '../../../plan/guard.ts';
import { locationIn, ofPart } from '../../../plan/returns.ts';
import { isLegalLocation, unlocatable } from '../../../plan/rule-functions.ts';
import { whenHolds } from '../decision.ts';

const dayMs = 86_400_000;

/** How far in the future a sweep sets the TTL. */
const noticeMs = 7 * dayMs;

export interface AgingRule extends BoundArchiveRule {
  readonly ages: Aging<BoundKind>;
}

export interface CompanionLocation {
  readonly kind: BoundKind;
  /** Each kind has its own location, so none is at a list of keys. */
  readonly location: Exclude<CopyLocation, { in: 'keys' }>;
}

/**
 * `young`: not of the kind that ages, not finished for long enough, or not archived by the rule's `when`; `unclassified`:
 * attributes that the rule reads are missing or invalid. The reason contains no item content.
 */
export type AgeVerdict =
  | { readonly is: 'young' }
  | { readonly is: 'aged'; readonly companions: readonly CompanionLocation[] }
  | { readonly is: 'unclassified'; readonly code: string; readonly reason: string };

export function ages(rule: BoundArchiveRule): rule is AgingRule {
  return rule.ages !== undefined;
}

/** @param now in epoch milliseconds */
export function classifyAge(rule: AgingRule, item: Item, now: number): AgeVerdict {
  if (!isOfKind(rule.ages.kind, item)) return { is: 'young' };
  return unlessInvalid(
    () => verdictOn(rule, item, now),
    ({ code, message }) => ({ is: 'unclassified', code, reason: message }),
  );
}

function verdictOn(rule: AgingRule, item: Item, now: number): AgeVerdict {
  const { ages: aging, table } = rule;
  const key = keyIn(table, item);
  const view = viewOf(aging.kind, item, { rule: rule.name, role: 'root', reads: aging.reads });
  const call = { rule, item: { key, concerns: 'root' } } as const;
  // A Promise would count as true, and every item as finished.
  if (!called({ ...call, does: 'when' }, () => aging.when(view), aBoolean)) return { is: 'young' };
  // An item that the rule does not archive would expire without a trace.
  if (!whenHolds(rule, aging.kind, item)) return { is: 'young' };
  const since = called({ ...call, does: 'since' }, () => aging.since(view), aNumber);
  if (Number.isNaN(since)) return undated(rule);
  if (isWithinAge(aging, since, now)) return { is: 'young' };
  const companions = aging.with.map(({ kind, at }) => {
    const does = `with.at for ${kind.name}`;
    const given = called({ ...call, does }, () => at(view), locationIn(table));
    const location = locationGiven(table, given);
    if (!isLegalLocation(table, location)) throw unlocatable(rule, key);
    return { kind, location };
  });
  return { is: 'aged', companions };
}

function undated({ name, ages: { kind, reads } }: AgingRule): AgeVerdict {
  const reason = `Expected since of rule ${name} to return a time in milliseconds for this ${kind.name}, got NaN: correct its ${reads.join(' or ')}`;
  return { is: 'unclassified', code: 'root.undated', reason };
}

/**
 * The sort key that all items older than the rule's age are before, a day later than necessary: an index sorts times as text,
 * and they may be written with different offsets.
 * @param now in epoch milliseconds
 * @throws RuleError `rule.threw` or `rule.returned` if `until` fails: the rule cannot be swept, and others can
 */
export function untilOf(rule: AgingRule, now: number): string {
  const { found, days } = rule.ages;
  if (found.in !== 'index') return '';
  const before = new Date(now - (days - 1) * dayMs);
  const [part] = keyParts(found.index).sk;
  const to = called({ rule, does: 'found.until' }, () => found.until(before), ofPart(part));
  return textGiven(part, to);
}

/** Both in epoch milliseconds. */
export function isWithinAge({ days }: Aging, at: number, now: number): boolean {
  return now - at < days * dayMs;
}

/**
 * A week ahead, in epoch seconds.
 * @param now in epoch milliseconds
 */
export function expiryFrom(now: number): AttributeValue {
  return { N: String(Math.floor((now + noticeMs) / 1000)) };
}

/** On condition that the item has no TTL and still equals the archived state, at least in what is read. */
export function planExpiry(
  table: TableNames,
  key: ItemKey,
  archived: Item,
  reads: readonly string[],
  expiry: AttributeValue,
): GuardedUpdate {
  const { expect } = guardWhole(archived, [table.ttl, table.type, ...reads]);
  return { key, set: { [table.ttl]: expiry }, remove: [], expect: { ...expect, [table.ttl]: undefined } };
}
