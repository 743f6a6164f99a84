import { type ItemKey, keyText } from '../../model/item.ts';

/**
 * Parts entries so that no part names an item twice, with the entries of one item in their order from part to part.
 * Most often there is one part, and it holds all.
 */
export function wavesOf<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => ItemKey): Entry[][] {
  const seen = new Map<string, number>();
  const waves: Entry[][] = [];
  for (const entry of entries) {
    const text = keyText(keyOf(entry));
    const wave = seen.get(text) ?? 0;
    seen.set(text, wave + 1);
    const entriesOfWave = waves[wave];
    if (entriesOfWave === undefined) waves.push([entry]);
    else entriesOfWave.push(entry);
  }
  return waves;
}
