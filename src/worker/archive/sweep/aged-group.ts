import { allPages } from '../../../model/basics/all-pages.ts';
import { chunksOf } from '../../../model/basics/chunks-of.ts';
import { type AttributeValue, equal } from '../../../model/items/attribute-value.ts';
import { expiryOf } from '../../../model/items/expiry.ts';
import {
  attribute,
  type Item,
  type ItemKey,
  type KeyedItem,
  keyText,
  sameKey,
} from '../../../model/items/item.ts';
import { itemSize } from '../../../model/items/item-size.ts';
import { type BoundKind, isOfKind } from '../../../model/kinds/kind.ts';
import type { Cursor } from '../../../model/work/message.ts';
import { isStored } from '../decision.ts';
import { restoredAt, restoredKeyOf } from '../object.ts';
import { type CompanionLocation, classifyAge, expiryFrom, isWithinAge } from './aging.ts';
import type { RootWork, SweepContext } from './sweep-context.ts';

export interface Member {
  readonly kind: BoundKind;
  readonly key: ItemKey;
  readonly role: 'root' | 'companion';
  /** Its own key if it is the root. */
  readonly root: ItemKey;
  /** Of all members of its group: the root's own if it has one. */
  readonly expiry: AttributeValue;
  /** As read, as DynamoDB counts them. */
  readonly bytes: number;
}

type Found = Omit<Member, 'root' | 'expiry'> & { readonly ttl: AttributeValue | undefined };

const pageLimit = 100;

/** Items that are read together: 4 MB at most. */
const keysAtOnce = 10;

/**
 * Those that have no TTL yet. One that was restored recently waits; if the root has no TTL yet, the whole group waits. Empty if
 * the root has not aged, or if it never expires.
 */
export async function groupOf(work: RootWork, aged: KeyedItem): Promise<Member[]> {
  const { context, rule, now, outcomes } = work;
  const { key: root, item } = aged;
  const { kind } = rule.ages;
  const verdict = classifyAge(rule, item, now);
  if (verdict.is === 'young') return [];
  if (verdict.is === 'unclassified') {
    const { code, reason } = verdict;
    outcomes.note(kind, root, 'unclassified');
    context.telemetry.unclassified({ rule: rule.name, kind: kind.name, key: root, code, reason });
    return [];
  }
  const group = [foundOf(work, kind, aged, 'root')];
  for (const companion of verdict.companions) group.push(...(await companionsIn(work, root, companion)));

  const bare = group.filter(({ ttl }) => ttl === undefined);
  for (const one of group) if (one.ttl !== undefined) noteExpiring(work, { ...one, ttl: one.ttl });
  const expiry = expiryOfGroup(work, item);
  if (expiry === undefined) return [];

  const restored = await restoredLately(work, bare);
  const waits = restored.size > 0 && bare.some(({ role }) => role === 'root') ? bare : [...restored];
  for (const one of waits) outcomes.note(one.kind, one.key, 'restored');
  return bare.filter((one) => !waits.includes(one)).map((one) => ({ ...one, root, expiry }));
}

/**
 * The root's own TTL, so that companions expire with it; a week from now if it has none, or if it has passed. Undefined if it
 * is not a number: then the root does not expire.
 */
function expiryOfGroup({ context, now }: RootWork, root: Item): AttributeValue | undefined {
  const { table } = context.registry;
  const own = attribute(root, table.ttl);
  if (own === undefined) return expiryFrom(now);
  const seconds = expiryOf(table, root);
  if (seconds === undefined) return undefined;
  return seconds * 1000 <= now ? expiryFrom(now) : own;
}

/** If the answer to a write was lost, the TTL found on the item is this sweep's own. */
function noteExpiring(work: RootWork, { kind, key, ttl }: Found & { readonly ttl: AttributeValue }): void {
  const { context, rule, now, outcomes } = work;
  if (!('N' in ttl)) {
    const reason = `Expected ${context.registry.table.ttl}, the TTL attribute, to be a number, found another type: correct the item, which never expires`;
    outcomes.note(kind, key, 'unclassified');
    context.telemetry.unclassified({ rule: rule.name, kind: kind.name, key, code: 'item.ttl', reason });
    return;
  }
  const own = equal(ttl, expiryFrom(now));
  outcomes.note(kind, key, own && outcomes.of(key) === 'changed' ? 'swept' : 'expiring');
}

async function restoredLately(
  { context, rule, now }: RootWork,
  group: readonly Found[],
): Promise<Set<Found>> {
  const restored = new Set<Found>();
  for (const one of group) {
    const mark = await context.notes.read(restoredKeyOf(one.kind.name, one.key));
    if (mark !== undefined && isWithinAge(rule.ages, restoredAt(mark, now), now)) restored.add(one);
  }
  return restored;
}

function foundOf(
  { context }: RootWork,
  kind: BoundKind,
  { key, item }: KeyedItem,
  role: Member['role'],
): Found {
  const { table } = context.registry;
  return {
    kind,
    key,
    role,
    bytes: itemSize(item),
    ttl: attribute(item, table.ttl),
  };
}

async function companionsIn(
  work: RootWork,
  root: ItemKey,
  { kind, location }: CompanionLocation,
): Promise<Found[]> {
  const { context, rule } = work;
  const found = new Map<string, Found>();
  for await (const one of itemsIn(context, location)) {
    const { key, item } = one;
    if (!isOfKind(kind, item) || sameKey(key, root)) continue;
    if (isStored(rule, kind, item)) found.set(keyText(key), foundOf(work, kind, one, 'companion'));
  }
  return [...found.values()];
}

async function* itemsIn(
  { table: port }: SweepContext,
  location: CompanionLocation['location'],
): AsyncGenerator<KeyedItem> {
  if (location.in === 'key') {
    const item = await port.get(location);
    if (item !== undefined) yield item;
    return;
  }
  for await (const { entries } of allPages({ of: 'table', what: 'a partition' }, (from?: Cursor) =>
    port.query(location, pageLimit, from),
  ))
    if (location.in === 'partition') yield* entries;
    else
      for (const some of chunksOf(entries, keysAtOnce)) yield* await port.getMany(some.map(({ key }) => key));
}
