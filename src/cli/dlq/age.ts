const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** How long ago something was, in its largest whole unit: `3 h`. @param at and @param now in epoch milliseconds */
export function age(at: number, now: number): string {
  if (at === 0) return 'unknown';
  for (const [unit, length] of units)
    if (now - at >= length) return `${Math.floor((now - at) / length)} ${unit}`;
  return '0 s';
}
