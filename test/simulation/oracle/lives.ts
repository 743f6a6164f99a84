import { type Item, type ItemKey, keyText } from '../../../src/domain/item.ts';
import type { Committed } from '../../model/model-table.ts';
import type { Relation } from './relation.ts';

/** One value that an item has had, from the moment it was committed; undefined while it was gone. */
export interface Version {
  readonly item: Item | undefined;
  /** Where the item was removed: whether its time had passed. */
  readonly expired: boolean;
}

/** Everything that every item has ever been, in order. */
export class Lives {
  private readonly versions = new Map<string, Version[]>();

  note({ key, after, by }: Committed): void {
    const text = keyText(key);
    const known = this.versions.get(text) ?? [];
    this.versions.set(text, known);
    known.push({ item: after, expired: after === undefined && by === 'service' });
  }

  of(key: ItemKey): readonly Version[] {
    return this.versions.get(keyText(key)) ?? [];
  }

  /** Whether this root ever was in a way that copies cannot follow. */
  wasUnprojectable(relation: Relation, root: ItemKey, copies: readonly Item[]): boolean {
    return this.of(root).some(
      ({ item }) =>
        item !== undefined &&
        copies.some(
          (copy) => relation.places(item, copy) === undefined || relation.wanted(item, copy) === undefined,
        ),
    );
  }
}
