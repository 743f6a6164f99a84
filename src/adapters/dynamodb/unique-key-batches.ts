import { type ItemKey, keyText } from '../../model/item.ts';

/**
 * Parts entries so that no part names an item twice, with the entries of one item in their order from part to part.
 * Most often there is one part, and it holds all.
 */
export function uniqueKeyBatches<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => ItemKey,
): Entry[][] {
  const seen = new Map<string, number>();
  const batches: Entry[][] = [];
  for (const entry of entries) {
    const text = keyText(keyOf(entry));
    const batch = seen.get(text) ?? 0;
    seen.set(text, batch + 1);
    const entriesOfBatch = batches[batch];
    if (entriesOfBatch === undefined) batches.push([entry]);
    else entriesOfBatch.push(entry);
  }
  return batches;
}
