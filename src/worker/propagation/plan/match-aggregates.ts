import type { Aggregate } from '../../../model/aggregate.ts';
import { type Change, inSequence } from '../../../model/change.ts';
import type { InvalidItemError } from '../../../model/errors.ts';
import { type Item, type ItemKey, keyText } from '../../../model/item.ts';
import { ofKind } from '../../../model/kind.ts';
import type { Registry } from '../../../model/registry.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { unlessInvalid } from '../../../model/unless-invalid.ts';
import { targetsOf } from './aggregate-functions.ts';
import { differencesOfMember, differencesOfTarget, hasAny } from './differences.ts';
import { absenceOf, type Presence } from './presence.ts';

/** A target to compute: `changed` if a member changed, `check` if only the target itself was written. */
export interface Computation {
  readonly aggregate: Aggregate;
  readonly target: ItemKey;
  readonly cause: 'changed' | 'check';
}

/** What the changes of one item match: each target once for each aggregate. */
export interface MatchedAggregates {
  readonly computations: readonly Computation[];
  /** One for each aggregate whose `targetsOf` fails on the item: nothing tells what it counts for. */
  readonly refused: readonly InvalidItemError[];
}

/** Finds the targets that the changes of one item ask to compute. It sends no request. */
export function matchAggregates(registry: Registry, changes: readonly Change[]): MatchedAggregates {
  const refused: InvalidItemError[] = [];
  const computations = registry.aggregates.flatMap((aggregate) => {
    const found = new Map<string, Computation>();
    let fault: InvalidItemError | undefined;
    for (const change of inSequence(changes)) {
      const is = targetIn(registry.table, aggregate, change);
      if ((is === 'new' || is === 'differs') && !found.has(keyText(change.key)))
        found.set(keyText(change.key), { aggregate, target: change.key, cause: 'check' });
      for (const member of membersIn(registry.table, aggregate, change)) {
        const targets = unlessInvalid(
          () => targetsOf(registry.table, aggregate, member),
          (error) => {
            fault = error;
            return [];
          },
        );
        for (const target of targets) found.set(keyText(target), { aggregate, target, cause: 'changed' });
      }
    }
    if (fault !== undefined) refused.push(fault);
    return [...found.values()];
  });
  return { computations, refused };
}

/**
 * The images of a changed member, whose targets it counted for and counts for now. Each is asked on its own: a member that
 * was corrected has an image on which `targetsOf` fails.
 */
function membersIn(table: TableNames, aggregate: Aggregate, change: Change): readonly Item[] {
  const is = memberIn(table, aggregate, change);
  if (is === 'unconcerned' || is === 'same') return [];
  return [change.before, change.after]
    .map((image) => ofKind(table, aggregate.of, image))
    .filter((image) => image !== undefined);
}

/** What a change makes of a member. Its targets are computed unless it is the same. */
export function memberIn(table: TableNames, aggregate: Aggregate, change: Change): Presence {
  const before = ofKind(table, aggregate.of, change.before);
  const after = ofKind(table, aggregate.of, change.after);
  if (after === undefined) return absenceOf(before, change);
  if (before === undefined) return 'new';
  return hasAny(differencesOfMember(aggregate, before, after)) ? 'differs' : 'same';
}

/** What a change makes of a target. If it is new, or what is computed or read was written, by whomever, it is computed. */
export function targetIn(table: TableNames, aggregate: Aggregate, change: Change): Presence {
  const before = ofKind(table, aggregate.on, change.before);
  const after = ofKind(table, aggregate.on, change.after);
  if (after === undefined) return absenceOf(before, change);
  if (before === undefined) return 'new';
  return hasAny(differencesOfTarget(aggregate, before, after)) ? 'differs' : 'same';
}
