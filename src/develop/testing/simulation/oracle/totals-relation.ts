import { type Item, type ItemKey, keyIn, keyText } from '../../../../model/item.ts';
import type { DeadLetter } from '../../../../model/message.ts';
import type { ModelTable } from '../../table-model/model-table.ts';
import { sameValue } from '../../table-model/same-value.ts';
import type { Lives } from './lives.ts';
import type { Wanted } from './relation.ts';
import { changedNames } from './shown-root.ts';

/** What targets should be, said apart from the code that computes them. */
export interface TotalsRelation {
  /** The name of the aggregate. */
  readonly rule: string;
  isTarget(item: Item): boolean;
  /** The totals of a target, from all items of the table; undefined if a member, or the target, does not let itself be added. */
  wanted(target: Item, items: readonly Item[]): Wanted | undefined;
  /** Whether the worker may write this attribute of a target. */
  writes(attribute: string): boolean;
}

/** A target that does not have the totals of its members. */
export interface WrongTotal {
  readonly relation: TotalsRelation;
  readonly target: ItemKey;
}

/** The targets of a table at rest that are wrong, and those that only a person can mend. */
export function wrongTotals(
  table: ModelTable,
  relations: readonly TotalsRelation[],
): { readonly wrong: readonly WrongTotal[]; readonly stuck: readonly WrongTotal[] } {
  const wrong: WrongTotal[] = [];
  const stuck: WrongTotal[] = [];
  const items = relations.length === 0 ? [] : table.items();
  for (const relation of relations)
    for (const item of items) {
      if (!relation.isTarget(item)) continue;
      const one = { relation, target: keyIn(table.names, item) };
      const wanted = relation.wanted(item, items);
      if (wanted === undefined) stuck.push(one);
      else if ([...wanted].some(([name, value]) => !sameValue(item[name], value))) wrong.push(one);
    }
  return { wrong, stuck };
}

/** Whether a dead letter names this target. */
export function isTargetDeadLettered(
  deadLettered: readonly DeadLetter[],
  { relation, target }: WrongTotal,
): boolean {
  return deadLettered.some(
    ({ message }) => message?.rule === relation.rule && keyText(message.root) === keyText(target),
  );
}

/**
 * Whether a target may once have been such that it could not be computed. Members are read one after another: they may be more
 * together than there ever were at once.
 */
export function wasIncomputable(
  relations: readonly TotalsRelation[],
  lives: Lives,
  rule: string,
  target: ItemKey,
): boolean {
  const relation = relations.find((one) => one.rule === rule);
  if (relation === undefined) return false;
  const items = lives.all().flatMap(({ item }) => (item === undefined ? [] : [item]));
  return lives
    .of(target)
    .some(({ item }) => item !== undefined && relation.isTarget(item) && !relation.wanted(item, items));
}

/** Whether a write did nothing but compute a target. While members change, totals go back and forth: they are observed at rest. */
export function isOfTotals(
  totals: readonly TotalsRelation[],
  before: Item,
  after: Item | undefined,
): boolean {
  return totals.some(
    (one) =>
      after !== undefined &&
      one.isTarget(before) &&
      changedNames(before, after).every((name) => one.writes(name)),
  );
}
