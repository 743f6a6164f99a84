import { z } from 'zod';
import { handler } from './handler.ts';
import { ownCode, requestsAlone } from './recorded.ts';
import { backfillOfRight, queriesAlone, scanAlone, verify } from './scans.ts';
import { usualHandler } from './usual-handler.ts';
import type { Way } from './way.ts';

/** What a process of its own does again and again. */
export const ways = {
  'usual-10': usualHandler(10),
  'usual-50': usualHandler(50),
  'requests-alone': requestsAlone,
  handler,
  'own-code': ownCode,
  'scan-alone': scanAlone,
  verify,
  'queries-alone': queriesAlone,
  backfill: backfillOfRight,
} satisfies Record<string, Way>;

export const wayName = z.enum(Object.keys(ways) as (keyof typeof ways)[]);
export type WayName = z.output<typeof wayName>;
