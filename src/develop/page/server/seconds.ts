import type { Second } from '../protocol/changes.ts';

/** Seconds that are kept: five minutes. */
const kept = 300;

/** Lags of a second beyond this many only count for its maximum. */
const maxSamples = 2_000;

interface Bucket {
  readonly at: number;
  readonly lags: number[];
  max: number;
  readUnits: number;
  writeUnits: number;
}

/** The worker's lag and units, second by second, over the last minutes. */
export class Seconds {
  private readonly buckets: Bucket[] = [];

  /** A copy was written so many milliseconds after its root's change was read. */
  lagged(now: number, milliseconds: number): void {
    const bucket = this.bucket(now);
    bucket.max = Math.max(bucket.max, milliseconds);
    if (bucket.lags.length < maxSamples) bucket.lags.push(milliseconds);
  }

  used(now: number, units: { readonly readUnits?: number; readonly writeUnits?: number }): void {
    const bucket = this.bucket(now);
    bucket.readUnits += units.readUnits ?? 0;
    bucket.writeUnits += units.writeUnits ?? 0;
  }

  /** The seconds from this one on, oldest first. A second without work is missing. */
  since(at: number): readonly Second[] {
    return this.buckets.filter((bucket) => bucket.at >= at).map(summary);
  }

  private bucket(now: number): Bucket {
    const at = Math.floor(now / 1000);
    const last = this.buckets.at(-1);
    if (last !== undefined && last.at >= at) return last;
    const bucket = { at, lags: [], max: 0, readUnits: 0, writeUnits: 0 };
    this.buckets.push(bucket);
    while ((this.buckets[0]?.at ?? at) < at - kept) this.buckets.shift();
    return bucket;
  }
}

function summary({ at, lags, max, readUnits, writeUnits }: Bucket): Second {
  const sorted = lags.toSorted((a, b) => a - b);
  const share = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;
  return {
    at,
    p50: share(0.5),
    p99: share(0.99),
    max: sorted.length === 0 ? null : max,
    readUnits,
    writeUnits,
  };
}
