import type { ModelTable } from '../../src/develop/testing/table-model/model-table.ts';
import type { Item } from '../../src/model/item.ts';

/** Something that happens in a table, and how the table looks when the worker has followed: exactly so, and no other item. */
export interface Scene {
  /** What stands there at first, agreeing with itself and already worked on. */
  readonly before: readonly Item[];
  change(table: ModelTable): unknown;
  readonly after: readonly Item[];
}

/** A scene with so many copies. */
export type MakeScene = (copies: number) => Scene;

/** One for each copy. */
export function each<Made>(copies: number, make: (index: number) => Made): Made[] {
  return Array.from({ length: copies }, (_, index) => make(index));
}
