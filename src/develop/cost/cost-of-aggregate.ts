import type { StackSettings } from '../../deploy/stack-settings.ts';
import type { Aggregate } from '../../model/aggregate.ts';
import { isInLocation } from '../../model/copy-location.ts';
import { DenormError } from '../../model/errors.ts';
import { changed } from '../../model/guarded-write.ts';
import type { Item } from '../../model/item.ts';
import { itemSize } from '../../model/item-size.ts';
import { makeRegistry, type Registry } from '../../model/registry.ts';
import type { TableNames } from '../../model/table-names.ts';
import { targetsOf } from '../../worker/propagation/plan/aggregate-functions.ts';
import { planTotals } from '../../worker/propagation/plan/plan-totals.ts';
import { Totals } from '../../worker/propagation/plan/totals.ts';
import { type AggregateItems, aggregateItems } from './aggregate-items.ts';
import { type ChangeCost, type CostOptions, costOfChange, type RuleCost } from './cost-of-rule.ts';
import { countWorker, settingsOf } from './count-worker.ts';
import { paddedTo } from './rule-changes.ts';

/** How their records share lanes differs by member, so that several change if reading all of them is cheap. */
function changesOfRun(members: number): number {
  return Math.min(5, Math.ceil(200 / members));
}

/**
 * Counts changes of members of one target, alone on its table, each long after the one before.
 * @param fanOuts of the options: how many members the target has
 * @throws DenormError `cost.items` if no members can be made; `cost.unfinished` if no total is written
 */
export async function costOfAggregate(
  stack: StackSettings,
  registry: Registry,
  aggregate: Aggregate,
  { fanOuts, itemBytes }: CostOptions,
): Promise<RuleCost> {
  const { table } = registry;
  const items = aggregateItems(table, aggregate);
  const alone = { stack, registry: makeRegistry(table, [], registry.archives, [], [aggregate]) };
  const everySeconds = settingsOf(stack).recheckDelaySeconds + (aggregate.every ?? 0) + 60;
  let about: Pick<RuleCost, 'attribute' | 'itemBytes'> = { attribute: undefined, itemBytes: 0 };
  const rows: ChangeCost[] = [];
  for (const members of fanOuts) {
    const { before, after, ...made } = changesOf(table, aggregate, items, members, itemBytes);
    about = made;
    const counts = await countWorker(alone, { before, after, everySeconds });
    requireWritten(aggregate, counts.copiesWritten);
    rows.push(costOfChange(members, counts, after.length));
  }
  return { rule: aggregate, ...about, fanOuts: rows };
}

function changesOf(
  table: TableNames,
  aggregate: Aggregate,
  items: AggregateItems,
  count: number,
  itemBytes: number | undefined,
) {
  const padded = (item: Item) => (itemBytes === undefined ? item : paddedTo(item, itemBytes));
  const changing = changesOfRun(count);
  const made = items.members(count + changing).map(padded);
  const members = made.slice(0, count);
  const [first, second] = [members[0], made[count]];
  if (first === undefined || second === undefined) throw new RangeError('Expected one member or more');
  const bare = padded(items.target);
  const target = followed(table, aggregate, bare, members);
  const variant = items.variants(first).find(({ item }) => changesTotal(table, aggregate, bare, first, item));
  const after =
    variant === undefined
      ? made.slice(count)
      : members.slice(0, changing).map((member) => ({
          ...member,
          [variant.attribute]: variant.item[variant.attribute] ?? { S: '' },
        }));
  return {
    ...{ attribute: variant?.attribute, itemBytes: itemSize(first) },
    ...{ before: [target, ...members], after },
  };
}

/** The target with the totals of these members. */
function followed(table: TableNames, aggregate: Aggregate, target: Item, members: readonly Item[]): Item {
  const unlimited = { ...aggregate, limit: Number.POSITIVE_INFINITY, invalid: 'dead-letter' } as const;
  const totals = new Totals(table, unlimited, target);
  for (const location of totals.locations)
    for (const member of members) if (isInLocation(table, member, location)) totals.add(member, location);
  const update = planTotals(table, aggregate, target, totals.computed());
  return update === undefined ? target : changed(target, update.set, update.remove);
}

function changesTotal(
  table: TableNames,
  aggregate: Aggregate,
  target: Item,
  before: Item,
  after: Item,
): boolean {
  const [one, other] = [before, after].map((member) => followed(table, aggregate, target, [member]));
  // A member that changes its targets is another matter: it costs both.
  const [named, namedAfter] = [before, after].map((member) =>
    JSON.stringify(targetsOf(table, aggregate, member)),
  );
  return named === namedAfter && JSON.stringify(one) !== JSON.stringify(other);
}

function requireWritten({ name }: Aggregate, written: number): void {
  if (written > 0) return;
  throw new DenormError(
    'cost.unfinished',
    `Expected the worker to write totals of ${name}, found no write: let the filters of Propagate in template.extra.yaml pass its members, as \`denorm dev\` checks`,
    { rule: name },
  );
}
