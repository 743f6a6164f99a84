import { isInLocation } from '../../model/items/copy-location.ts';
import { locationGiven } from '../../model/items/given-keys.ts';
import { type Item, keyIn, keyText, sameKey } from '../../model/items/item.ts';
import { isOfKind, isSameKind } from '../../model/kinds/kind.ts';
import { viewOf } from '../../model/kinds/view.ts';
import { archivedAs, type Registry } from '../../model/rules/registry.ts';
import type { ModelArchive } from '../../testing/table-model/model-archive.ts';
import { type Committed, type ModelTable, versionsIn } from '../../testing/table-model/model-table.ts';
import { sameItem, sameValue } from '../../testing/table-model/same-value.ts';
import { itemInBody, objectKeyOf } from '../../worker/archive/object.ts';
import type { Findings } from './findings.ts';
import { attempt, isGiven, isWide } from './relation.ts';

interface Observed {
  readonly registry: Registry;
  readonly table: ModelTable;
  readonly archive: ModelArchive;
  readonly findings: Findings;
  readonly clock: { readonly now: number };
}

const day = 86_400_000;

/** Whether `when` of its archive rule is false for an item; what it fails on is archived. */
export function isLeftOut(registry: Registry, item: Item): boolean {
  const { rule, kind } = archivedAs(registry, item) ?? {};
  const own = rule?.when.filter((one) => isSameKind(one.kind, kind)) ?? [];
  const role = { rule: rule?.name ?? '', role: 'root' } as const;
  const passes = attempt(() =>
    own.every((one) => one.item(viewOf(one.kind, item, { ...role, reads: one.reads }))),
  );
  return passes === false;
}

/** How an item ages, by itself or with its root; undefined if it does not. */
function agingOf(registry: Registry, item: Item) {
  const { table } = registry;
  const { rule } = archivedAs(registry, item) ?? {};
  const ages = rule?.ages;
  if (ages === undefined) return undefined;
  const isRoot = (root: Item) => isOfKind(ages.kind, root);
  const view = (root: Item) =>
    viewOf(ages.kind, root, { rule: rule?.name ?? '', role: 'root', reads: ages.reads });
  const isAged = (root: Item, now: number): boolean => {
    if (!isRoot(root) || isLeftOut(registry, root)) return false;
    const aged = attempt(() => {
      for (const { at } of ages.with) at(view(root));
      return ages.when(view(root)) && now - ages.since(view(root)) >= ages.days * day;
    });
    return aged === true;
  };
  return {
    layout: rule?.layout,
    isRoot,
    isAged,
    goesWith(root: Item): boolean {
      if (!isRoot(root)) return false;
      if (sameKey(keyIn(table, root), keyIn(table, item))) return true;
      const isThere = (at: (typeof ages.with)[number]['at']) =>
        attempt(() => isInLocation(table, item, locationGiven(table, at(view(root))))) === true;
      return ages.with.some(({ kind, at }) => isOfKind(kind, item) && isThere(at));
    },
    /** Whether a root has aged, and an index or a scan shows it. */
    isFound(root: Item, now: number): boolean {
      const { found, days } = ages;
      if (!isAged(root, now) || found.in === 'scan') return isAged(root, now);
      const to = found.until(new Date(now - days * day));
      return found.pks.some((pk) => isGiven(found.index, root, { pk, to }));
    },
  };
}

/** Whether a sweep may have archived an item though nothing had given it an expiry: it, or what it goes with, had aged. */
export function mayBeSwept({ registry, table, clock }: Observed, item: Item): boolean {
  const aging = agingOf(registry, item);
  if (aging === undefined) return false;
  return versionsIn(table.history).some((root) => aging.goesWith(root) && aging.isAged(root, clock.now));
}

/** A sweep writes an expiry in a week, on what has aged and is in the archive as it is, or on what goes with that (promise 8). */
export function checkSwept(world: Observed, { key, before, after, at }: Committed): void {
  const { registry, table, findings, archive } = world;
  const { ttl } = registry.table;
  const where = keyText(key);
  const aging = before && agingOf(registry, before);
  if (before === undefined || after === undefined || aging === undefined) {
    findings.violated(8, 'a sweep writes what never ages', where);
    return;
  }
  const { [ttl]: expiry, ...rest } = after;
  if (before[ttl] !== undefined || !sameItem(rest, before))
    findings.violated(8, 'a sweep writes more than an expiry where there was none', where);
  const seconds = expiry !== undefined && 'N' in expiry ? Number(expiry.N) : Number.NaN;
  const inAWeek = Math.floor((at + 7 * day) / 1000);
  const isInAWeek = seconds <= inAWeek && seconds > inAWeek - 3600 * 24;
  if (aging.isRoot(before)) {
    if (!aging.isAged(before, at)) findings.violated(8, 'a sweep lets expire what has not aged', where);
    if (!isInAWeek) findings.violated(8, 'a sweep gives another expiry than in a week', where);
  } else {
    const its = versionsIn(table.history)
      .filter(aging.goesWith)
      .flatMap((root) => root[ttl] ?? []);
    const isItsRoots = its.some((one) => sameValue(one, expiry)) && (seconds + 3600 * 24) * 1000 > at;
    if (its.length === 0 || (!isInAWeek && !isItsRoots))
      findings.violated(8, 'a sweep gives what goes with a root another expiry than its root', where);
  }
  // Batches are read at rest.
  if (aging.layout === 'batch') return;
  const kind = archivedAs(registry, before)?.kind.name ?? '';
  const stored = archive.versions(objectKeyOf(kind, key)).map(({ body }) => itemInBody(body));
  if (stored.some((item) => sameItem(item, before))) return;
  // Its own record archives it as it is: with the expiry, and all that changed in between.
  if (isWide(before)) findings.excepted('writes of a part of a very wide copy');
  else if (
    stored.some((item) => Object.entries(item).every(([name, value]) => sameValue(value, before[name])))
  )
    findings.excepted('attributes that no condition excludes');
  else findings.violated(8, 'a sweep lets expire what is not in the archive', where);
}

/** At rest, after a pass: all that has aged and that an index or a scan shows has an expiry, with what goes with it (promise 8). */
export function checkAged({ registry, table, clock, findings }: Observed): void {
  const { ttl } = registry.table;
  for (const item of table.items()) {
    const aging = agingOf(registry, item);
    if (aging === undefined || item[ttl] !== undefined || isLeftOut(registry, item)) continue;
    const roots = table.items().filter((root) => aging.goesWith(root) && aging.isFound(root, clock.now));
    if (roots.some((root) => root[ttl] === undefined || 'N' in root[ttl]))
      findings.violated(8, 'what has aged was left without an expiry', keyText(keyIn(registry.table, item)));
  }
}
