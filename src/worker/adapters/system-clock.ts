import { setTimeout as delay } from 'node:timers/promises';
import type { ClockPort } from '../ports.ts';

export const systemClock: ClockPort = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => {}),
};
