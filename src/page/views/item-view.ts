import type { PlannerOptions } from '../../explain/dry-run/planner.ts';
import { explainItem } from '../../explain/explain.ts';
import type { ExplainedWork, Explanation } from '../../explain/explanation.ts';
import { allPages } from '../../model/basics/all-pages.ts';
import { counted, number } from '../../model/basics/text.ts';
import { isLegalRange, isListed, listedKeys } from '../../model/items/copy-location.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import { rangeGiven } from '../../model/items/given-keys.ts';
import type { Item, ItemKey } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { BoundRule } from '../../model/rules/bound-rule.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { Cursor } from '../../model/work/message.ts';
import { locationsOf } from '../../plan/rule-functions.ts';
import type { TablePort } from '../../worker/ports.ts';
import type { ActionOutcome, CopiesView, ItemView, PartitionView } from '../protocol/views.ts';
import { PageError } from '../server/page-source.ts';

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
    problem,
    copies,
    roles: rules.map(({ rule, as, of, why }) => ({ rule, as, of, why })),
    now: outcomesOf(explanation),
  };
}

function outcomesOf({ rounds, cost }: Explanation): readonly ActionOutcome[] {
  const work = rounds[0]?.work ?? [];
  if (work.length === 0) return [];
  const isPart = work.some(({ notFollowed }) => notFollowed > 0);
  const units = `${number(cost.readUnits)} RCU and ${number(cost.writeUnits.total)} WCU`;
  return [
    ...work.flatMap((one) => [
      { text: workText(one), isGood: true },
      ...one.deadLettered.map((reason) => ({ text: `It would be dead-lettered: ${reason}`, isGood: false })),
    ]),
    { text: `It would cost ${isPart ? 'more than ' : ''}${units}.`, isGood: true },
  ];
}

function workText({ rule, computes, found, notFollowed }: ExplainedWork): string {
  const { members, written, removed, unchanged, absent } = found;
  if (!computes)
    return `${rule}: ${number(written + removed)} to write, ${number(unchanged)} right already${notFollowed > 0 ? '; others were not read' : ''}`;
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
  return `${rule}: totals from ${counted(members, 'item')} read, ${are}`;
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
    if (keys.length > 0) views.push({ rule: rule.name, keys: keys.slice(0, most), more: keys.length > most });
  }
  return views;
}

/**
 * The items of a partition, or those from a sort key on.
 * @throws PageError `page.request` if no item has such a key
 */
export async function partitionView(
  registry: Registry,
  table: TablePort,
  parameters: URLSearchParams,
): Promise<PartitionView> {
  const from = parameters.get('from') ?? '';
  const given = { pk: parameters.get('pk') ?? '', ...(from !== '' && { from }) };
  const range = rangeGiven(registry.table, given);
  if (!isLegalRange(registry.table, range))
    throw new PageError('page.request', 'Expected a partition key, got a text that can be none');
  const { entries, next } = await table.query({ in: 'partition', ...range }, most);
  const items = entries.map(({ key, item }) => ({
    key,
    kinds: registry.kinds.flatMap((kind) => (isOfKind(kind, item) ? kind.name : [])),
    item: itemToJson(item),
  }));
  return { items, more: next !== undefined };
}
