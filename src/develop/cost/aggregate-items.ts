import * as z from 'zod';
import type { Aggregate } from '../../model/aggregate.ts';
import { isInLocation, type QueriedLocation } from '../../model/copy-location.ts';
import { DenormError } from '../../model/errors.ts';
import { type Item, type ItemKey, sameKey, text } from '../../model/item.ts';
import { type Ids, keyWith } from '../../model/kind.ts';
import { makeRegistry } from '../../model/registry.ts';
import type { TableNames } from '../../model/table-names.ts';
import { memberLocations, targetsOf } from '../../worker/propagation/plan/aggregate-functions.ts';
import { attributeValue } from '../testing/plain-values.ts';
import { combinations, type KindValues } from '../testing/simulation/project/kind-values.ts';
import { projectOf } from '../testing/simulation/project/project.ts';
import { numbered, numberedIds, wholeItem } from './generated-items.ts';

/** A target and its members, made from the key patterns and schemas of their kinds. */
export interface AggregateItems {
  readonly target: Item;
  /** So many members, in all locations by turns. */
  members(count: number): readonly Item[];
  /** The same member with another value of an attribute that the aggregate reads, until none is left. */
  variants(member: Item): readonly { readonly attribute: string; readonly item: Item }[];
}

/** @throws DenormError `cost.items` if no items can be made of a schema, or no members that name their target */
export function aggregateItems(table: TableNames, aggregate: Aggregate): AggregateItems {
  const { project, obstacles } = projectOf(makeRegistry(table, [], [], [], [aggregate]));
  const [obstacle] = obstacles;
  const values = project.valuesOf(aggregate.of);
  const targetKey = keyWith(aggregate.on, numberedIds(aggregate.on, 0));
  if (obstacle !== undefined || targetKey === undefined)
    throw refused(aggregate, obstacle?.message ?? 'Expected ids of numbers in the keys of the target');
  const target = wholeItem(table, project.valuesOf(aggregate.on), targetKey);
  const locations = memberLocations(table, aggregate, target);
  return {
    target,
    members: (count) =>
      Array.from({ length: count }, (_, index) => {
        const location = locations[index % locations.length];
        const made = location && memberAt({ table, aggregate, values, targetKey, location }, index);
        if (made !== undefined) return made;
        throw refused(
          aggregate,
          `Expected to make a ${aggregate.of.name} that names a ${aggregate.on.name} and is where that has its members, but found none: add examples of ${aggregate.reads.member.join(' and ')} to ${aggregate.of.name}`,
        );
      }),
    variants: (member) =>
      aggregate.reads.member.flatMap((attribute) =>
        (values.pools.get(attribute) ?? []).flatMap((value) =>
          value === undefined ? [] : [{ attribute, item: { ...member, [attribute]: attributeValue(value) } }],
        ),
      ),
  };
}

interface Making {
  readonly table: TableNames;
  readonly aggregate: Aggregate;
  readonly values: KindValues;
  readonly targetKey: ItemKey;
  readonly location: QueriedLocation;
}

/** Tries what may name the target: its ids and keys, in each text that the aggregate reads. */
function memberAt(making: Making, index: number): Item | undefined {
  const { table, aggregate, values, targetKey, location } = making;
  const key = keyWith(aggregate.of, memberIds(making, index));
  if (key === undefined) return undefined;
  const own = aggregate.of.idsOf(key) ?? {};
  const item = { ...wholeItem(table, values, key), ...indexKeys(making, index) };
  const names = [
    ...Object.values(aggregate.on.idsOf(targetKey) ?? {}),
    ...Object.values(own),
    targetKey.pk,
    targetKey.sk,
  ];
  const choices = aggregate.reads.member.flatMap((name): [string, string[]][] => {
    const schema = aggregate.of.attributes.shape[name];
    const current = text(item[name]);
    const accepted = [...new Set([...(current === undefined ? [] : [current]), ...names])].filter(
      (value) => schema !== undefined && z.safeParse(schema, value).success,
    );
    return accepted.length === 0 ? [] : [[name, accepted]];
  });
  for (const chosen of combinations(choices)) {
    const texts = Object.entries(chosen).map(([name, value]) => [name, { S: value }] as const);
    const one = { ...item, ...Object.fromEntries(texts) };
    if (!isInLocation(table, one, location)) continue;
    if (targetsOf(table, aggregate, one).some((target) => sameKey(target, targetKey))) return one;
  }
  return undefined;
}

/** Numbers, but for the ids that the location decides. In an index, ids of the target's names are the target's. */
function memberIds({ aggregate: { of, on }, targetKey, location }: Making, index: number): Ids {
  // The target is number 0.
  const ids = numberedIds(of, index + 1);
  if (location.in === 'partition') return { ...ids, ...of.pkPattern.parse(location.pk) };
  const shared = Object.entries(on.idsOf(targetKey) ?? {}).filter(([name]) => Object.hasOwn(ids, name));
  const own = Object.keys(ids).length - shared.length;
  return own === 0 ? ids : { ...ids, ...Object.fromEntries(shared) };
}

function indexKeys({ table, location }: Making, index: number): Item {
  const found = Object.values(table.indexes).find(
    ({ name }) => location.in === 'index' && name === location.index,
  );
  if (found === undefined) return {};
  return {
    [found.pk]: { S: location.pk },
    [found.sk]: { S: `${location.begins ?? ''}${numbered(index)}` },
  };
}

function refused({ name }: Aggregate, why: string): DenormError {
  return new DenormError('cost.items', why, { rule: name });
}
