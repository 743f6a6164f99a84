import type { Aging, ArchiveRule } from '../../../../model/archive-rule.ts';
import { isInLocation } from '../../../../model/copy-location.ts';
import { locationGiven } from '../../../../model/given-keys.ts';
import { type Item, keyIn, keyText } from '../../../../model/item.ts';
import { isOfKind } from '../../../../model/kind.ts';
import { archivedAs, type Registry } from '../../../../model/registry.ts';
import type { TableNames } from '../../../../model/table-names.ts';
import { viewOf } from '../../../../model/view.ts';
import { itemInBody, objectKeyOf } from '../../../../worker/archive/object.ts';
import type { ModelArchive } from '../../table-model/model-archive.ts';
import type { Committed, ModelTable } from '../../table-model/model-table.ts';
import { sameItem, sameValue } from '../../table-model/same-value.ts';
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

type AgingRule = ArchiveRule & { readonly ages: Aging };

/** Whether `when` of its archive rule is false for an item; what it fails on is archived. */
export function isLeftOut(registry: Registry, item: Item): boolean {
  const { rule, kind } = archivedAs(registry, item) ?? {};
  return (
    rule?.when.some((predicate) => predicate.kind === kind && !passes(registry.table, rule, item)) === true
  );
}

function passes(table: TableNames, { name, when }: ArchiveRule, item: Item): boolean {
  const own = when.filter(({ kind }) => isOfKind(table, kind, item));
  const passed = attempt(() =>
    own.every((one) =>
      one.item(viewOf(table, one.kind, item, { rule: name, role: 'root', reads: one.reads })),
    ),
  );
  return passed ?? true;
}

function agingRuleOf(registry: Registry, item: Item): AgingRule | undefined {
  const rule = archivedAs(registry, item)?.rule;
  return rule?.ages && { ...rule, ages: rule.ages };
}

function isAged(registry: Registry, rule: AgingRule, root: Item, now: number): boolean {
  const { ages } = rule;
  if (!isOfKind(registry.table, ages.kind, root) || isLeftOut(registry, root)) return false;
  const aged = attempt(() => {
    const view = viewOfRoot(registry.table, rule, root);
    for (const { at } of ages.with) at(view);
    return ages.when(view) && now - ages.since(view) >= ages.days * day;
  });
  return aged === true;
}

function viewOfRoot(table: TableNames, { name, ages }: AgingRule, root: Item) {
  return viewOf(table, ages.kind, root, { rule: name, role: 'root', reads: ages.reads });
}

function goesWith(table: TableNames, rule: AgingRule, root: Item, item: Item): boolean {
  if (!isOfKind(table, rule.ages.kind, root)) return false;
  if (keyText(keyIn(table, root)) === keyText(keyIn(table, item))) return true;
  return rule.ages.with.some(
    ({ kind, at }) =>
      isOfKind(table, kind, item) &&
      attempt(() => isInLocation(table, item, locationGiven(table, at(viewOfRoot(table, rule, root))))) ===
        true,
  );
}

/** Whether a sweep may have archived an item though nothing had given it an expiry: it, or what it goes with, had aged. */
export function mayBeSwept({ registry, table, clock }: Observed, item: Item): boolean {
  const rule = agingRuleOf(registry, item);
  if (rule === undefined) return false;
  return table.history.some(
    ({ after: root }) =>
      root && goesWith(registry.table, rule, root, item) && isAged(registry, rule, root, clock.now),
  );
}

/** A sweep writes an expiry in a week, on what has aged and is in the archive as it is, or on what goes with that (promise 8). */
export function checkSwept(world: Observed, { key, before, after, at }: Committed): void {
  const { registry, table, findings, archive } = world;
  const { ttl } = registry.table;
  const where = keyText(key);
  const rule = before && agingRuleOf(registry, before);
  if (before === undefined || after === undefined || rule === undefined) {
    findings.violated(8, 'a sweep writes what never ages', where);
    return;
  }
  const { [ttl]: expiry, ...rest } = after;
  if (before[ttl] !== undefined || !sameItem(rest, before))
    findings.violated(8, 'a sweep writes more than an expiry where there was none', where);
  const seconds = expiry !== undefined && 'N' in expiry ? Number(expiry.N) : Number.NaN;
  const inAWeek = Math.floor((at + 7 * day) / 1000);
  const isInAWeek = seconds <= inAWeek && seconds > inAWeek - 3600 * 24;
  if (isOfKind(registry.table, rule.ages.kind, before)) {
    if (!isAged(registry, rule, before, at))
      findings.violated(8, 'a sweep lets expire what has not aged', where);
    if (!isInAWeek) findings.violated(8, 'a sweep gives another expiry than in a week', where);
  } else {
    const its = table.history.flatMap(({ after: root }) =>
      root && goesWith(registry.table, rule, root, before) ? (root[ttl] ?? []) : [],
    );
    const isItsRoots = its.some((one) => sameValue(one, expiry)) && (seconds + 3600 * 24) * 1000 > at;
    if (its.length === 0 || (!isInAWeek && !isItsRoots))
      findings.violated(8, 'a sweep gives what goes with a root another expiry than its root', where);
  }
  // Batches are read at rest.
  if (rule.layout === 'batch') return;
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
    const rule = agingRuleOf(registry, item);
    if (rule === undefined || item[ttl] !== undefined || isLeftOut(registry, item)) continue;
    const roots = table.items().filter((root) => goesWith(registry.table, rule, root, item));
    const isForgotten = roots.some(
      (root) =>
        isAged(registry, rule, root, clock.now) &&
        isFound(rule, root, clock.now) &&
        (root[ttl] === undefined || 'N' in root[ttl]),
    );
    if (isForgotten)
      findings.violated(8, 'what has aged was left without an expiry', keyText(keyIn(registry.table, item)));
  }
}

function isFound({ ages: { found, days } }: AgingRule, root: Item, now: number): boolean {
  if (found.in === 'scan') return true;
  const to = found.until(new Date(now - days * day));
  return found.pks.some((pk) => isGiven(found.index, root, { pk, to }));
}
