import * as z from 'zod';
import type { Aggregate } from '../../model/aggregate.ts';
import { isInLocation, type QueriedLocation } from '../../model/copy-location.ts';
import { DenormError } from '../../model/errors.ts';
import { changed } from '../../model/guarded-write.ts';
import { type Item, type ItemKey, sameKey, text } from '../../model/item.ts';
import { itemSize } from '../../model/item-size.ts';
import { type Ids, keyWith } from '../../model/kind.ts';
import { makeRegistry } from '../../model/registry.ts';
import type { TableNames } from '../../model/table-names.ts';
import { memberLocations, targetsOf } from '../../worker/propagation/plan/aggregate-functions.ts';
import { planUpdate } from '../../worker/propagation/plan/plan-update.ts';
import { Totals } from '../../worker/propagation/plan/totals.ts';
import { combinations, type KindValues } from '../examples/kind-values.ts';
import {
  type ExampleChanges,
  numbered,
  numberedIds,
  padded,
  projectOfOne,
  roomIn,
  valuesOf,
  wholeItem,
} from './example-items.ts';

/**
 * Changes of one member of a target with so many: of an attribute that changes a total, or, if there is none, a member more.
 * @throws DenormError `cost.items` if no items can be made of a schema, or no members that name their target
 */
export function changesOfAggregate(
  table: TableNames,
  aggregate: Aggregate,
  itemBytes: number,
): ExampleChanges {
  const project = projectOfOne(makeRegistry(table, [], [], [], [aggregate]), aggregate.name);
  const values = project.valuesOf(aggregate.of);
  const targetKey = targetKeyOf(aggregate);
  const bare = wholeItem(table, project.valuesOf(aggregate.on), targetKey);
  const target = padded(bare, roomIn(itemBytes, bare));
  const locations = memberLocations(table, aggregate, target);

  function memberNumber(index: number): Item {
    const location = locations[index % locations.length];
    const made = location && memberAt({ table, aggregate, values, targetKey, location }, index);
    if (made !== undefined) return padded(made, roomIn(itemBytes, made));
    throw refused(
      aggregate,
      `Expected to make a ${aggregate.of.name} that names a ${aggregate.on.name} and is where that has its members, but found none: add examples of ${aggregate.reads.member.join(' and ')} to ${aggregate.of.name}`,
    );
  }

  /** The same member with another value of an attribute, which changes a total and no target. */
  function variantOf(member: Item): { readonly attribute: string; readonly item: Item } | undefined {
    const totalsWith = (one: Item) => JSON.stringify(followed(table, aggregate, target, [one]));
    const named = (one: Item) => JSON.stringify(targetsOf(table, aggregate, one));
    return aggregate.reads.member
      .flatMap((attribute) =>
        valuesOf(values, attribute).map((value) => ({ attribute, item: { ...member, [attribute]: value } })),
      )
      .find(({ item }) => named(item) === named(member) && totalsWith(item) !== totalsWith(member));
  }

  return {
    change(fanOut, index) {
      const members = Array.from({ length: fanOut }, (_, number) => memberNumber(number));
      const first = members[0] ?? memberNumber(0);
      const followedTarget = followed(table, aggregate, target, members);
      const about = { fanOut, itemBytes: itemSize(first) };
      const changing = members[index % fanOut] ?? first;
      const variant = variantOf(changing);
      if (variant === undefined) {
        const others = [followedTarget, ...members];
        return {
          before: undefined,
          after: memberNumber(fanOut + index),
          others,
          attribute: undefined,
          ...about,
        };
      }
      const others = [followedTarget, ...members.filter((member) => member !== changing)];
      return { before: changing, after: variant.item, others, attribute: variant.attribute, ...about };
    },
  };
}

function targetKeyOf(aggregate: Aggregate): ItemKey {
  const key = keyWith(aggregate.on, numberedIds(aggregate.on, 0));
  if (key !== undefined) return key;
  throw refused(aggregate, 'Expected ids of numbers in the keys of the target');
}

/** The target with the totals of these members. */
function followed(table: TableNames, aggregate: Aggregate, target: Item, members: readonly Item[]): Item {
  const unlimited = { ...aggregate, limit: Number.POSITIVE_INFINITY, invalid: 'dead-letter' } as const;
  const totals = new Totals(table, unlimited, target);
  for (const location of totals.locations)
    for (const member of members) if (isInLocation(table, member, location)) totals.add(member, location);
  const update = planUpdate(totals, target)?.write;
  return update === undefined ? target : changed(target, update.set, update.remove);
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
