import { type AttributeValue, equal } from '../../../model/attribute-value.ts';
import { chunksOf } from '../../../model/chunks-of.ts';
import { attribute, type Item, type ItemKey, keyIn, keysIn, keyText, sameKey } from '../../../model/item.ts';
import { type AnyKind, isOfKind } from '../../../model/kind.ts';
import type { Cursor } from '../../../model/message.ts';
import { admissionOf } from '../admission.ts';
import { restoredAt, restoredKeyOf } from '../restored-mark.ts';
import { type CompanionLocation, classifyAge, expiryFrom, expiryOf, isWithinAge } from './aging.ts';
import type { RootWork, SweepContext } from './sweep-context.ts';

/** An item to set a TTL on. */
export interface Member {
  readonly kind: AnyKind;
  readonly key: ItemKey;
  readonly role: 'root' | 'companion';
  /** Its TTL as read, strongly consistent. */
  readonly expiry: AttributeValue | undefined;
  /** As read, strongly consistent; undefined if it is not kept. */
  readonly item: Item | undefined;
}

/** An aged item and its companions, as far as they still have no TTL. */
export interface Group {
  readonly root: ItemKey;
  readonly members: readonly Member[];
  /** The TTL for all members: the root's own if it has one. */
  readonly expiry: AttributeValue;
}

/** Items in a page of a query. */
const pageLimit = 100;

/** Items that are read together: at most 4 MB. */
export const keysAtOnce = 10;

/**
 * The group of a root that was just read. If a member was restored recently, it waits; if the root has no TTL yet, the
 * whole group waits. Undefined if the root has not aged, or if it never expires.
 */
export async function groupOf(work: RootWork, item: Item): Promise<Group | undefined> {
  const { context, rule, now, outcomes } = work;
  const { table } = context.registry;
  const root = keyIn(table, item);
  const verdict = classifyAge(table, rule, item, now);
  if (verdict.is === 'foreign' || verdict.is === 'young') return undefined;
  const { kind } = rule.ages;
  if (verdict.is === 'unclassified') {
    outcomes.note(kind, root, 'unclassified');
    context.telemetry.unclassified({ rule: rule.name, kind: kind.name, key: root, ...reasonOf(verdict) });
    return undefined;
  }
  const group: Member[] = [memberOf(work, kind, item, 'root')];
  for (const companion of verdict.companions) group.push(...(await companionsIn(work, root, companion)));

  const bare = group.filter((one) => one.expiry === undefined);
  for (const one of group) if (!bare.includes(one)) noteExpiring(work, one);
  const expiry = expiryOfGroup(work, item);
  if (expiry === undefined) return undefined;

  const restored = await restoredLately(work, bare);
  const waits = restored.size > 0 && bare.some(({ role }) => role === 'root') ? bare : [...restored];
  for (const one of waits) outcomes.note(one.kind, one.key, 'restored');
  const members = bare.filter((one) => !waits.includes(one));
  return { root, members, expiry };
}

/**
 * The root's own TTL, so that companions expire with it. A week from now if it has none, or if it has passed.
 * Undefined if the root's TTL is not a number: then it never expires, and neither do its companions.
 */
function expiryOfGroup({ context, now }: RootWork, root: Item): AttributeValue | undefined {
  const { table } = context.registry;
  const seconds = expiryOf(table, root);
  if (seconds === undefined || seconds * 1000 <= now) return expiryFrom(now);
  return Number.isNaN(seconds) ? undefined : attribute(root, table.ttl);
}

/** If the answer to a write was lost, the TTL found on the item is this sweep's own. */
function noteExpiring({ now, outcomes }: RootWork, { kind, key, expiry }: Member): void {
  const own = equal(expiry, expiryFrom(now));
  outcomes.note(kind, key, own && outcomes.of(key) === 'changed' ? 'swept' : 'expiring');
}

async function restoredLately(
  { context, rule, now }: RootWork,
  group: readonly Member[],
): Promise<Set<Member>> {
  const restored = new Set<Member>();
  for (const one of group) {
    const mark = await context.notes.read(restoredKeyOf(one.kind.name, one.key));
    if (mark !== undefined && isWithinAge(rule.ages, restoredAt(mark, now), now)) restored.add(one);
  }
  return restored;
}

function memberOf(work: RootWork, kind: AnyKind, item: Item, role: Member['role']): Member {
  const { context, rule, kept } = work;
  const { table } = context.registry;
  const expiry = attribute(item, table.ttl);
  const isNeeded = rule.layout === 'batch' && expiry === undefined;
  return { kind, key: keyIn(table, item), role, expiry, item: isNeeded ? kept.keep(item) : undefined };
}

async function companionsIn(
  work: RootWork,
  root: ItemKey,
  { kind, location }: CompanionLocation,
): Promise<Member[]> {
  const { context, rule } = work;
  const { table } = context.registry;
  const found = new Map<string, Member>();
  for await (const item of itemsIn(context, location)) {
    const key = keyIn(table, item);
    if (!isOfKind(table, kind, item) || sameKey(key, root)) continue;
    if (admissionOf(table, rule, kind, item).stores)
      found.set(keyText(key), memberOf(work, kind, item, 'companion'));
  }
  return [...found.values()];
}

async function* itemsIn(
  { table: port, registry }: SweepContext,
  location: CompanionLocation['location'],
): AsyncGenerator<Item> {
  if (location.in === 'key') {
    const item = await port.get(location);
    if (item !== undefined) yield item;
    return;
  }
  let from: Cursor | undefined;
  do {
    const { entries, next } = await port.query(location, pageLimit, from);
    if (location.in === 'partition') yield* entries;
    else
      for (const keys of chunksOf(keysIn(registry.table, entries), keysAtOnce))
        yield* await port.getMany(keys);
    from = next;
  } while (from !== undefined);
}

function reasonOf({ code, reason }: { readonly code: string; readonly reason: string }) {
  return { code, reason };
}
