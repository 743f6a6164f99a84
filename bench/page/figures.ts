export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** The middle half of the values, and all of them. */
export function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN).toFixed(3);
  return `middle half ${at(0.25)} to ${at(0.75)}, all ${at(0)} to ${at(1)}`;
}
