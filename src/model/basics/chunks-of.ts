export function chunksOf<Entry>(entries: readonly Entry[], size: number): Entry[][] {
  const chunks: Entry[][] = [];
  for (let start = 0; start < entries.length; start += size) chunks.push(entries.slice(start, start + size));
  return chunks;
}

/** Splits entries into batches, in their order, of at most so many and of at most this size together. One that is larger is alone. */
export function batchesOf<Entry>(
  entries: readonly Entry[],
  { count, size }: { readonly count: number; readonly size: number },
  sizeOf: (entry: Entry) => number,
): Entry[][] {
  const batches: Entry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const own = sizeOf(entry);
    const batch = batches.at(-1);
    if (batch !== undefined && batch.length < count && own <= room) batch.push(entry);
    else {
      batches.push([entry]);
      room = size;
    }
    room -= own;
  }
  return batches;
}
