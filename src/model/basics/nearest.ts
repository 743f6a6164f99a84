/** What to say of a name that is none of the known ones, which are never item content. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `did you mean '${near}'?`;
  return known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
}

export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((one) => ({ one, edits: editsBetween(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, edits }) => edits <= Math.max(1, Math.floor(Math.max(one.length, name.length) / 3)))
    .sort((a, b) => a.edits - b.edits);
  return best?.one;
}

/** Levenshtein's distance with transpositions. */
function editsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const edits = Math.min(replaced, at(row - 1, column) + 1, at(row, column - 1) + 1);
      current.push(swapped ? Math.min(edits, at(row - 2, column - 2) + 1) : edits);
    }
  }
  return at(a.length, b.length);
}
