import { type Item, type ItemKey, keyText } from '../../../../model/item.ts';
import type { Committed } from '../../table-model/model-table.ts';

/** One value that an item has had, from the moment it was committed; undefined while it was gone. */
export interface Version {
  readonly item: Item | undefined;
  readonly expired: boolean;
  /** Its place in the order of all commits. */
  readonly at: number;
}

export class ItemHistory {
  private readonly versions = new Map<string, Version[]>();
  private commits = 0;

  note({ key, after, by }: Committed): void {
    const text = keyText(key);
    const known = this.versions.get(text) ?? [];
    this.versions.set(text, known);
    this.commits += 1;
    known.push({ item: after, expired: after === undefined && by === 'service', at: this.commits });
  }

  items(): Item[] {
    return [...this.versions.values()].flat().flatMap(({ item }) => (item === undefined ? [] : [item]));
  }

  itemsOf(key: ItemKey): Item[] {
    return this.of(key).flatMap(({ item }) => (item === undefined ? [] : [item]));
  }

  of(key: ItemKey): readonly Version[] {
    return this.versions.get(keyText(key)) ?? [];
  }
}
