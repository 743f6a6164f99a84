import { attribute, type Item, type ItemKey, text } from '../items/item.ts';
import { ownKey } from '../items/own-items.ts';
import type { TableNames } from '../items/table-names.ts';
import type { BoundDefinitions } from './rule-checks.ts';

/**
 * The rules and aggregates that an operator has paused, with since when, in ISO 8601. They are in one item of the table, an attribute
 * each, so that a deployment leaves them as they are.
 *
 * A paused rule writes nothing. What matches meanwhile waits in the fan-out queue, as a message may at any time: it says only what to
 * look at, and what is written comes from the table as it is when the pause is over.
 */
export type Pauses = ReadonlyMap<string, string>;

export const nothingPaused: Pauses = new Map();

const prefix = 'paused:';

/** The attribute of the item that says since when the rule is paused. */
export function pauseAttribute(rule: string): string {
  return `${prefix}${rule}`;
}

/** Undefined as for {@link ownKey}. */
export function pausesKey(table: TableNames): ItemKey | undefined {
  return ownKey(table, 'PAUSES');
}

export function pausesIn(item: Item | undefined): Pauses {
  const rules = Object.keys(item ?? {}).filter((name) => name.startsWith(prefix));
  return new Map(rules.map((name) => [name.slice(prefix.length), text(attribute(item ?? {}, name)) ?? '']));
}

/** The same rules and aggregates but those that are paused. */
export function withoutPaused<Selected extends Pick<BoundDefinitions, 'rules' | 'aggregates'>>(
  { rules, aggregates, ...others }: Selected,
  paused: Pauses,
) {
  const isActive = ({ name }: { readonly name: string }) => !paused.has(name);
  return { ...others, rules: rules.filter(isActive), aggregates: aggregates.filter(isActive) };
}
