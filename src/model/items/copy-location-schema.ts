import * as z from 'zod/mini';
import { itemKeySchema } from './item.ts';

/** The texts of keys, as in `ItemKey`. With several attributes in the partition key, a text for each. */
const rangeFields = {
  pk: z.union([z.string(), z.readonly(z.array(z.string()))]),
  /** The first attributes of the sort key that are equal for all. */
  sk: z.optional(z.readonly(z.array(z.string()))),
  /** With what the next attribute begins. */
  begins: z.optional(z.string()),
  /** The next attribute is this or comes after it; and this or before it. */
  from: z.optional(z.string()),
  to: z.optional(z.string()),
  /** Whether it is read from its end. */
  backwards: z.optional(z.literal(true)),
};

export const copyLocationSchema = z.discriminatedUnion('in', [
  z.object({ in: z.literal('partition'), ...rangeFields }),
  z.object({ in: z.literal('index'), index: z.string(), ...rangeFields }),
  z.object({ in: z.literal('key'), pk: z.string(), sk: z.string() }),
  /** In the order of `distinctKeys`. */
  z.object({ in: z.literal('keys'), keys: z.readonly(z.array(itemKeySchema)) }),
]);
