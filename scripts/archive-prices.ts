import type { StorageClass } from '../src/model/archive-rule.ts';

/** What S3 asks for in one storage class, in US dollars. */
export interface ClassPrice {
  /** A GB (2^30 bytes) for a month. */
  readonly gbMonth: number;
  /** A thousand puts. */
  readonly puts: number;
  /** A thousand reads of any kind, HeadObject included. */
  readonly reads: number;
  /** A smaller object is billed as if it had so many bytes. */
  readonly smallest: number;
  /** Bytes billed with each object at this class's price, and at STANDARD's. */
  readonly overhead: { readonly own: number; readonly standard: number };
  /** Watching a thousand objects for a month; only objects from 128 KB up are watched. */
  readonly watching: number;
  /** An object that is deleted or replaced earlier is billed for so many days. */
  readonly days: number;
  /** Until the first byte, when a read is asked for. */
  readonly wait: string;
}

const KB = 1024;
const none = { own: 0, standard: 0 };
/** Index and name of an object in Glacier. Source: AWS, "Amazon S3 pricing", notes on the storage classes. */
const glacier = { own: 32 * KB, standard: 8 * KB };

/**
 * List prices of US East (N. Virginia), first 50 TB a month, without taxes and discounts. Source: AWS, "Amazon S3 pricing"
 * (https://aws.amazon.com/s3/pricing/), as public guides of March to June 2026 quote it.
 * Look there before you decide: prices change, and other regions are dearer.
 */
export const prices: Readonly<Record<StorageClass, ClassPrice>> = {
  STANDARD: {
    gbMonth: 0.023,
    puts: 0.005,
    reads: 0.0004,
    smallest: 0,
    overhead: none,
    watching: 0,
    days: 0,
    wait: 'milliseconds',
  },
  INTELLIGENT_TIERING: {
    // Of its tiers, the first: where objects too small to be watched stay.
    gbMonth: 0.023,
    puts: 0.005,
    reads: 0.0004,
    smallest: 0,
    overhead: none,
    watching: 0.0025,
    days: 0,
    wait: 'milliseconds',
  },
  STANDARD_IA: {
    gbMonth: 0.0125,
    puts: 0.01,
    reads: 0.001,
    smallest: 128 * KB,
    overhead: none,
    watching: 0,
    days: 30,
    wait: 'milliseconds',
  },
  ONEZONE_IA: {
    gbMonth: 0.01,
    puts: 0.01,
    reads: 0.001,
    smallest: 128 * KB,
    overhead: none,
    watching: 0,
    days: 30,
    wait: 'milliseconds',
  },
  GLACIER_IR: {
    gbMonth: 0.004,
    puts: 0.02,
    reads: 0.01,
    smallest: 128 * KB,
    overhead: none,
    watching: 0,
    days: 90,
    wait: 'milliseconds',
  },
  GLACIER: {
    gbMonth: 0.0036,
    puts: 0.03,
    reads: 0.0004,
    smallest: 0,
    overhead: glacier,
    watching: 0,
    days: 90,
    wait: '3 to 5 hours',
  },
  DEEP_ARCHIVE: {
    gbMonth: 0.00099,
    puts: 0.05,
    reads: 0.0004,
    smallest: 0,
    overhead: glacier,
    watching: 0,
    days: 180,
    wait: 'up to 12 hours',
  },
};

/** Objects smaller than this are not watched in INTELLIGENT_TIERING. Source: AWS, "Amazon S3 pricing". */
export const smallestWatched = 128 * KB;
