import type { Aggregate } from '../../model/aggregate.ts';
import type { Change } from '../../model/change.ts';
import type { ItemKey } from '../../model/item.ts';
import { ofKind } from '../../model/kind.ts';
import type { Registry } from '../../model/registry.ts';
import type { TableNames } from '../../model/table-names.ts';
import { differencesOfMember, differencesOfTarget } from '../../worker/propagation/plan/differences.ts';
import { matchAggregates } from '../../worker/propagation/plan/match-aggregates.ts';

/**
 * Why a change asks for computations of an aggregate, or does not:
 * - `unconcerned`: the item is neither member nor target, before or after;
 * - `new`, `differs`, `same`: the member or target; `same` in everything that the aggregate reads or computes;
 * - `removed`, `left-kind`: the item is gone, or its type attribute has changed;
 * - `invalid`: `targetsOf` fails on the member.
 */
export interface WhyComputed {
  readonly aggregate: Aggregate;
  /** The item's role in the aggregate; undefined if it has none. */
  readonly as: 'member' | 'target' | undefined;
  readonly because: 'unconcerned' | 'new' | 'differs' | 'same' | 'removed' | 'left-kind' | 'invalid';
  /** The attributes in which the images differ. */
  readonly attributes: readonly string[];
  /** The targets to compute. */
  readonly targets: readonly ItemKey[];
  /** With `invalid`, how `targetsOf` fails. Never content. */
  readonly fault?: string;
}

/**
 * Explains for each aggregate which targets one change asks to compute. {@link matchAggregates} decides; the same comparisons
 * give the reasons. If an item is both member and target of an aggregate, the aggregate is listed twice.
 */
export function whyComputed(registry: Registry, change: Change): readonly WhyComputed[] {
  const { table } = registry;
  return registry.aggregates.flatMap((aggregate): WhyComputed[] => {
    const { computations, refused } = matchAggregates({ ...registry, aggregates: [aggregate] }, [change]);
    const targetsBy = (cause: 'changed' | 'check') =>
      computations.flatMap((one) => (one.cause === cause ? [one.target] : []));
    const [fault] = refused;
    const member = reasonOf(table, aggregate, 'member', change);
    const target = reasonOf(table, aggregate, 'target', change);
    const found: WhyComputed[] = [
      ...(member === undefined ? [] : [{ aggregate, ...member, targets: targetsBy('changed') }]),
      ...(target === undefined ? [] : [{ aggregate, ...target, targets: targetsBy('check') }]),
    ];
    if (fault !== undefined)
      return found.map((why) =>
        why.as === 'member' ? { ...why, because: 'invalid', fault: `${fault.code}: ${fault.message}` } : why,
      );
    return found.length > 0
      ? found
      : [{ aggregate, as: undefined, because: 'unconcerned', attributes: [], targets: [] }];
  });
}

function reasonOf(
  table: TableNames,
  aggregate: Aggregate,
  as: 'member' | 'target',
  { before, after }: Change,
): Pick<WhyComputed, 'as' | 'because' | 'attributes'> | undefined {
  const kind = as === 'member' ? aggregate.of : aggregate.on;
  const was = ofKind(table, kind, before);
  const is = ofKind(table, kind, after);
  if (is === undefined)
    return was && { as, because: after === undefined ? 'removed' : 'left-kind', attributes: [] };
  if (was === undefined) return { as, because: 'new', attributes: [] };
  const differences = as === 'member' ? differencesOfMember : differencesOfTarget;
  const attributes = [...differences(aggregate, was, is)];
  return { as, because: attributes.length > 0 ? 'differs' : 'same', attributes };
}
