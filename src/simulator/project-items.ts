import { anyOf, itemWith, type KindValues } from '../examples/kind-values.ts';
import { keysWithin, type Link, linkedItem } from '../examples/links.ts';
import type { Project } from '../examples/project-examples.ts';
import type { Random } from '../examples/random.ts';
import { accepts } from '../examples/value-pool.ts';
import type { AttributeValue } from '../model/items/attribute-value.ts';
import { type Item, type ItemKey, keyAttributes } from '../model/items/item.ts';
import { keyParts, type TableNames } from '../model/items/table-names.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import { attributeValue } from '../testing/plain-values.ts';
import { applied } from './oracle/relation.ts';
import { dropAttributes, put, set, type Write } from './world/step.ts';
import type { World } from './world/world.ts';

const unlistedName = 'unlisted';

/** Of each type; some equal to DynamoDB though spelled in another way, some differing only where a number of JavaScript does not. */
const unlisted: readonly AttributeValue[] = [
  // Often one after the other: only then does the difference show.
  ...['1', '2', '1', '2', '1', '2'].map((digit) => ({ N: `1234567890123456789012345678901234567${digit}` })),
  ...['1', '1.0', '1E1'].map((N) => ({ N })),
  ...[{ SS: ['x', 'y'] }, { SS: ['y', 'x'] }, { NS: ['2', '1.0'] }, { S: '' }],
  { M: { inner: { L: [{ N: '1.0' }, { BOOL: true }, { NULL: true }, { B: new Uint8Array([1, 255]) }] } } },
  { M: { inner: { L: [{ N: '1' }, { BOOL: true }, { NULL: true }, { B: new Uint8Array([1, 255]) }] } } },
];

/** What hardly any schema accepts. */
const invalid: readonly AttributeValue[] = [{ BOOL: true }, { L: [] }, { S: '' }];

export type ProjectItems = ReturnType<typeof projectItems>;

export function projectItems(project: Project, random: Random, world: World) {
  const { table, links, own, valuesOf, valuesOfItem } = project;
  let count = 0;

  /** A value of an attribute: as often as not one that was never there, by which the oracles tell versions apart. */
  function value(values: KindValues | undefined, name: string): AttributeValue | undefined {
    count += 1;
    const fresh = `v${count}`;
    if (name === unlistedName || values === undefined)
      return random.chance(0.3) ? { S: fresh } : random.pick(unlisted);
    if (random.chance(world.profile.invalid)) return random.chance(0.3) ? undefined : random.pick(invalid);
    const { attributes, examples } = values.kind;
    const schema = attributes.shape[name];
    const isExemplified = examples.some((example) => example[name] !== undefined);
    if (random.chance(0.5) && !isExemplified && schema !== undefined && accepts(schema, fresh))
      return { S: fresh };
    const known = anyOf(random)(values.pools.get(name) ?? [], name);
    return known === undefined ? undefined : attributeValue(known);
  }

  /**
   * An item of a kind, which names roots of the links that have items of this kind.
   * @param except a link
   */
  function made(values: KindValues, key: ItemKey, except?: Link): Item {
    const item: Record<string, AttributeValue> = { ...itemWith(values, key, anyOf(random)) };
    for (const name of random.some([...values.pools.keys(), unlistedName], 0.3)) {
      const given = value(values, name);
      if (given !== undefined) item[name] = given;
    }
    return links.reduce<Item>((named, link) => {
      if (link === except || link.item !== values.kind) return named;
      const roots = world.table.items().filter((one) => isOfKind(link.root, one));
      const root = roots.length === 0 ? undefined : random.pick(roots);
      const found = root && linkedItem(link, root, named, own(link.item, random))?.item;
      return found === undefined ? named : Object.assign(found, keyAttributes(table, key));
    }, item);
  }

  return {
    project,
    random,
    world,
    made,

    /** The item as an application read it, now or some versions ago. */
    seen(key: ItemKey): Item | undefined {
      if (!random.chance(world.profile.staleness)) return world.table.read(key);
      const versions = world.table.changesOf(key);
      return versions.length === 0 ? undefined : random.pick(versions.slice(-4)).after;
    },

    changed(item: Item, key: ItemKey, isWanted = (_: string) => true): readonly Write[] {
      const values = valuesOfItem(item);
      const names = [...(values?.pools.keys() ?? []), unlistedName].filter(isWanted);
      if (names.length === 0) return [];
      return Array.from({ length: random.int(1, 2) }, () => random.pick(names)).map((name) => {
        const given = value(values, name);
        return given === undefined ? dropAttributes(key, name) : set(key, { [name]: given });
      });
    },

    /** Makes an item what it was before its last change. */
    undone(key: ItemKey): readonly Write[] {
      const last = world.table.changesOf(key).at(-1);
      if (last === undefined) return [];
      return [last.before === undefined ? { delete: key } : put(last.before)];
    },

    linked(link: Link, root: Item): Item | undefined {
      const values = valuesOf(link.item);
      const [key] = values.keys;
      if (key === undefined) return undefined;
      const rest = made(values, key, link);
      const item = linkedItem(link, root, rest, own(link.item, random))?.item;
      const relation = world.oracle.relations.find(({ rule }) => rule === link.name);
      return item && relation ? applied(relation, root, item) : item;
    },

    /** An item of no kind is put where the linked items of a root are. */
    neighbour(link: Link, key: ItemKey): readonly Write[] {
      const root = world.table.read(key);
      const [place] = root === undefined ? [] : link.placesOf(root);
      if (place?.in !== 'partition' && place?.in !== 'index') return [];
      const near = keysWithin(table, place, '~');
      const its = place.in === 'partition' ? {} : keyAttributes(table, neighbourKey(table));
      const item: Item = { ...near, ...its, [table.type]: { S: 'neighbour' } };
      return valuesOfItem(item) === undefined ? [put(item)] : [];
    },

    /** An expiry a little before now, or at most so many seconds after it. */
    expiry: (most: number): AttributeValue => ({
      N: String(world.clock.seconds() + random.int(-5, most)),
    }),
  };
}

function neighbourKey(table: TableNames): ItemKey {
  const [pk = '', sk = ''] = keyParts(table).all.map(({ type }) => (type === 'S' ? 'neighbour' : '-1'));
  return { pk, sk };
}
