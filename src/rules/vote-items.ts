import { defineKind } from 'stream-denormalizer';
import * as z from 'zod/mini';
import { GSI1, GSI2 } from '../table.ts';

/** A contender, with the totals of its head-to-heads. */
export const contender = defineKind({
  name: 'Contender',
  type: 'Contender',
  pk: 'CONTENDER#{contender}',
  sk: 'metadata',
  attributes: z.object({
    Name: z.string(),
    SVG: z.string(),
    Wins: z.number(),
    Losses: z.number(),
    Score: z.optional(z.int()),
    [GSI2.pk]: z.string(),
    [GSI2.sk]: z.string(),
  }),
});

/**
 * What two contenders have won against each other. It is in the partition of the first; the worker indexes it by the second
 * in GSI1.
 */
export const headToHead = defineKind({
  name: 'HeadToHead',
  type: 'HeadToHead',
  pk: 'CONTENDER#{contender1}',
  sk: 'VS#{contender2}',
  attributes: z.object({
    Contender1: z.string().check(z.minLength(1)),
    Contender2: z.string().check(z.minLength(1)),
    Contender1Wins: z.int(),
    Contender2Wins: z.int(),
  }),
  keys: { [GSI1.name]: { pk: 'CONTENDER#{Contender2}', sk: 'VS#{Contender1}' } },
});
