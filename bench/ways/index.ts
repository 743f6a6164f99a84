import { z } from 'zod';
import { handler } from './handler.ts';
import { usualHandler } from './usual-handler.ts';
import type { Way } from './way.ts';
import { writePort } from './write-port.ts';

export const wayNames = ['usual-1', 'usual-10', 'usual-50', 'write-port', 'handler'] as const;
export const wayName = z.enum(wayNames);
export type WayName = z.output<typeof wayName>;

export const ways: Readonly<Record<WayName, { readonly title: string; readonly way: Way }>> = {
  'usual-1': { title: 'usual handler, 1 at once', way: usualHandler(1) },
  'usual-10': { title: 'usual handler, 10 at once', way: usualHandler(10) },
  'usual-50': { title: 'usual handler, 50 at once', way: usualHandler(50) },
  'write-port': { title: 'the writes alone, 16 at once', way: writePort },
  handler: { title: 'handlers/propagate.ts', way: handler },
};
