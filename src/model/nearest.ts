/**
 * What to say of a name that is none of the known ones: the nearest of them if it is near, otherwise all.
 * @param known names of a schema or of a spec, never item content
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `did you mean '${near}'?`;
  return known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
}

/** The known name that is most like this one; undefined if none is like it. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((one) => ({ one, edits: editsBetween(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, edits }) => edits <= Math.max(1, Math.floor(Math.max(one.length, name.length) / 2.5)))
    .sort((a, b) => a.edits - b.edits);
  return best?.one;
}

/** Levenshtein's distance: letters to insert, delete or replace. */
function editsBetween(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...b].entries())
      current.push(
        Math.min(
          (previous[column] ?? 0) + (letter === other ? 0 : 1),
          (previous[column + 1] ?? 0) + 1,
          (current[column] ?? 0) + 1,
        ),
      );
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
