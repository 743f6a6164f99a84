import { DenormError } from '../model/basics/errors.ts';
import type { Item, ItemKey } from '../model/items/item.ts';
import { itemSize } from '../model/items/item-size.ts';
import { keyParts, type TableNames } from '../model/items/table-names.ts';
import type { Registry } from '../model/rules/registry.ts';
import { first, itemWith, type KindValues } from './kind-values.ts';
import { type Project, projectOf } from './project-examples.ts';
import { accepts } from './value-pool.ts';

export interface ExampleChange {
  readonly before: Item | undefined;
  readonly after: Item;
  readonly others: readonly Item[];
  /** The attribute that changes; undefined of a new item. */
  readonly attribute: string | undefined;
  /** The copies or members that it concerns. */
  readonly fanOut: number;
  /** Of a copy or a member, in bytes. */
  readonly itemBytes: number;
}

export interface ExampleChanges {
  /**
   * @param fanOut fewer if there is no room for so many
   * @param index of several changes: other roots or members
   */
  change(fanOut: number, index: number): ExampleChange;
  creation?(index: number): ExampleChange;
}

/** How items are told from those of applications, on a table that has others. */
export interface Marked {
  /** Part of each id, and the value of each attribute without examples that may be any text. */
  readonly mark: string;
  /** Whether an attribute is not to be changed. */
  readonly isFixed: (attribute: string) => boolean;
}

export const unmarked: Marked = { mark: '', isFixed: () => false };

/** @throws DenormError `cost.items` if the schemas and examples give no items */
export function projectOfOne(registry: Registry, rule: string): Project {
  const { project, obstacles } = projectOf(registry);
  const [obstacle] = obstacles;
  if (obstacle !== undefined) throw new DenormError('cost.items', obstacle.message, { rule });
  return project;
}

/** An item with the first value of each attribute, and with its own key in each index of which the schema lists both keys. */
export function wholeItem(table: TableNames, values: KindValues, key: ItemKey, mark: string): Item {
  const { kind, pools } = values;
  const isMarked = (name: string) => {
    const schema = kind.attributes.shape[name];
    const isFree = mark !== '' && !kind.examples.some((example) => example[name] !== undefined);
    return isFree && schema !== undefined && accepts(schema, mark);
  };
  const indexKeys = Object.values(table.indexes)
    .map(keyParts)
    .filter(({ names }) => names.every((name) => Object.hasOwn(kind.attributes.shape, name)))
    .flatMap(({ pk, sk }) => [
      ...pk.map((part) => ({ ...part, text: key.sk || key.pk })),
      ...sk.map((part) => ({ ...part, text: key.pk })),
    ])
    .filter(({ name, type }) => type === 'S' && !pools.has(name));
  return {
    ...itemWith(table, values, key, (pool, name) => {
      const value = first(pool, name);
      return value !== undefined && isMarked(name) ? mark : value;
    }),
    ...Object.fromEntries(indexKeys.map(({ name, text }) => [name, { S: text }])),
  };
}

const padding = 'Padding';

/** How long the padding of these items may be, so that none is larger. In bytes. */
export function roomIn(bytes: number, ...items: readonly Item[]): number {
  return bytes - Math.max(...items.map(itemSize)) - padding.length;
}

export function padded(item: Item, length: number): Item {
  return length > 0 ? { ...item, [padding]: { S: 'x'.repeat(length) } } : item;
}
