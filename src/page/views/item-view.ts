import type { PlannerOptions } from '../../explain/dry-run/planner.ts';
import { explainItem } from '../../explain/explain.ts';
import type { ExplainedWork, Explanation } from '../../explain/explanation.ts';
import { allPages } from '../../model/basics/all-pages.ts';
import { counted, number } from '../../model/basics/text.ts';
import { isListed, listedKeys } from '../../model/items/copy-location.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import { byKey, type Item, type ItemKey, sameKey } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { BoundRule } from '../../model/rules/bound-rule.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { Cursor } from '../../model/work/message.ts';
import { locationsOf } from '../../plan/rule-functions.ts';
import type { TablePort } from '../../worker/ports.ts';
import type { ActionOutcome, CopiesView, ItemView } from '../protocol/views.ts';
import { ownersOf, ownItem } from './owners.ts';

/** Deliveries of a propagation that are followed: a page is no place for more. */
const maxDeliveries = 4;

export async function itemView(source: PlannerOptions, key: ItemKey): Promise<ItemView> {
  const { registry, table } = source;
  const [found, explanation] = await Promise.all([
    table.get(key),
    explainItem({ ...source, maxDeliveries }, key),
  ]);
  const item = found?.item;
  const copies = item === undefined ? [] : await copiesView(registry, table, item);
  const [{ kinds = [], problem, rules = [] } = {}] = explanation.subjects;
  return {
    key,
    item: item && itemToJson(item),
    kinds,
    owners: item === undefined ? {} : ownersOf(registry, item),
    own: item && ownItem(registry, item),
    archived: undefined,
    history: undefined,
    ends: [],
    problem,
    copies,
    // To look at it, it is taken for new: that says nothing of it.
    roles: rules.map(({ rule, as, of, why, because }) => ({
      rule,
      as,
      of,
      why: because === 'new' ? '' : why,
    })),
    now: outcomesOf(registry, explanation, key),
  };
}

function outcomesOf(
  registry: Registry,
  { rounds, cost }: Explanation,
  key: ItemKey,
): readonly ActionOutcome[] {
  const work = rounds[0]?.work ?? [];
  if (work.length === 0) return [];
  const isPart = work.some(({ notFollowed }) => notFollowed > 0);
  const units = `${number(cost.readUnits)} read units and ${number(cost.writeUnits.total)} write units`;
  return [
    ...work.flatMap((one) => [
      { text: workText(registry, one, key), isGood: true },
      ...one.deadLettered.map((reason) => ({ text: `It would be dead-lettered: ${reason}`, isGood: false })),
    ]),
    { text: `To do this now would cost ${isPart ? 'more than ' : ''}${units}.`, isGood: true },
  ];
}

/** @param viewed what it is about is named, unless that is this item */
function workText(
  { aggregate }: Registry,
  { rule, key, computes, found, notFollowed }: ExplainedWork,
  viewed: ItemKey,
): string {
  const { members, written, removed, unchanged, absent, skipped } = found;
  const about = sameKey(key, viewed)
    ? rule
    : `${rule} of ${key.sk === '' ? key.pk : `${key.pk} / ${key.sk}`}`;
  if (!computes)
    return `${about}: ${number(written + removed)} to write, ${number(unchanged)} right already${notFollowed > 0 ? '; others were not read' : ''}`;
  const are =
    written > 0
      ? 'to write'
      : removed > 0
        ? 'none: the target is to be removed'
        : absent > 0
          ? 'none: there is no such target'
          : unchanged > 0
            ? 'right already'
            : 'not to be computed';
  // It adds up what entries say, and reads no member.
  if (aggregate(rule)?.ledger !== undefined) return `${about}, by its ledger: ${are}`;
  const invalid = skipped > 0 ? `, ${number(skipped)} of them invalid and left out` : '';
  return `${about}: totals from ${counted(members, 'item')} read${invalid}, ${are}`;
}

/** Items that are listed: a page is no place for more. */
const most = 100;

/** Where a root has its copies: keys that it names, whether they exist or not, or those that a query finds. */
async function* copyKeys(
  table: TablePort,
  rule: BoundRule,
  root: Item,
  limit: number,
): AsyncGenerator<ItemKey> {
  const [location] = rule.located.in === 'itself' ? [] : locationsOf(rule, root);
  if (location === undefined) return;
  if (isListed(location)) yield* listedKeys(location);
  else
    for await (const { entries } of allPages({ of: 'table', what: 'a partition' }, (from?: Cursor) =>
      table.query(location, limit, from),
    ))
      for (const { key } of entries) yield key;
}

/** About how many copies a root has by this rule; undefined if the root is gone. */
export async function countCopies(
  registry: Registry,
  table: TablePort,
  { rule: name, root: key }: { readonly rule: string; readonly root: ItemKey },
): Promise<number | undefined> {
  const rule = registry.rule(name);
  const root = (await table.get(key))?.item;
  if (rule === undefined || root === undefined) return undefined;
  let count = 0;
  for await (const _ of copyKeys(table, rule, root, 1_000)) count += 1;
  return count;
}

/** The copies of a root, by rule. */
async function copiesView(registry: Registry, table: TablePort, root: Item): Promise<CopiesView[]> {
  const views: CopiesView[] = [];
  for (const rule of registry.rules) {
    if (!isOfKind(rule.root, root)) continue;
    const keys: ItemKey[] = [];
    for await (const key of copyKeys(table, rule, root, most + 1)) {
      keys.push(key);
      if (keys.length > most) break;
    }
    if (keys.length === 0) continue;
    const shown = keys.slice(0, most);
    // An index may lag, and a root may name keys of copies that do not exist.
    const there = byKey(await table.getMany(shown));
    const [existing, missing] = [true, false].map((isThere) =>
      shown.filter((key) => (there(key) !== undefined) === isThere),
    );
    views.push({ rule: rule.name, keys: existing ?? [], missing: missing ?? [], more: keys.length > most });
  }
  return views;
}
