import type { Aggregate } from '../../../../model/aggregate.ts';
import { type Item, type ItemKey, keyIn } from '../../../../model/item.ts';
import { idNames, keyWith } from '../../../../model/kind.ts';
import type { Registry } from '../../../../model/registry.ts';
import { viewOf } from '../../../../model/view.ts';
import { isMember } from '../../totals-of.ts';
import type { Random } from '../random.ts';
import { idPool, itemWith, type KindValues } from './kind-values.ts';
import { accepts } from './value-pool.ts';

/** Items that are tried at most to find a member of one target. */
const most = 100;

/**
 * A member of this target, as an application may write it: where the target has its members, with texts and ids of the target
 * among its own. Undefined if none was found.
 */
export function memberOf(
  registry: Registry,
  aggregate: Aggregate,
  members: KindValues,
  target: Item,
  random: Random,
): Item | undefined {
  const { table } = registry;
  const { name, on, reads } = aggregate;
  const view = viewOf(table, on, target, { rule: name, role: 'target', reads: reads.target });
  const named = namesOf(registry, aggregate, target);
  for (let tries = 0; tries < most; tries += 1) {
    const location = random.pick(aggregate.members);
    const { pk, begins = '' } = location.at(view);
    const key = keyAt(aggregate, location.in === 'partition' ? pk : undefined, begins, named, random);
    if (key === undefined) continue;
    const made = {
      ...itemWith(registry, members, key, random),
      ...naming(aggregate, named, random),
      ...(location.in === 'index' && {
        [location.index.pk]: { S: pk },
        [location.index.sk]: { S: `${begins}${key.sk}` },
      }),
    };
    if (isMember(table, aggregate, target, made)) return made;
  }
  return undefined;
}

/** What a member may name the target by. */
function namesOf({ table }: Registry, { on }: Aggregate, target: Item): readonly string[] {
  const key = keyIn(table, target);
  return [...Object.values(on.idsOf(key) ?? {}), key.pk, key.sk];
}

function keyAt(
  { of }: Aggregate,
  pk: string | undefined,
  begins: string,
  named: readonly string[],
  random: Random,
): ItemKey | undefined {
  const fixed = pk === undefined ? {} : of.pkPattern.parse(pk);
  if (fixed === undefined) return undefined;
  const own = Object.fromEntries(idNames(of).map((id) => [id, random.pick([...named, ...idPool])]));
  const key = keyWith(of, { ...own, ...fixed });
  if (key === undefined || pk === undefined || key.sk.startsWith(begins)) return key;
  // The location asks for more of the sort key than its pattern says.
  const longer = { pk, sk: `${begins}${key.sk}` };
  return of.idsOf(longer) && longer;
}

/** Some of the texts that the aggregate reads name the target. */
function naming({ of, reads }: Aggregate, named: readonly string[], random: Random): Item {
  return Object.fromEntries(
    reads.member.flatMap((name): [string, { S: string }][] => {
      const schema = of.attributes.shape[name];
      const value = random.pick(named);
      return schema !== undefined && random.chance(0.6) && accepts(schema, value)
        ? [[name, { S: value }]]
        : [];
    }),
  );
}
