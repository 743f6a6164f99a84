import type { Settings } from '../../../../worker/ports.ts';
import { Random } from '../random.ts';
import type { Climate } from './climate.ts';

/**
 * How fan-outs keep to a pace in the climate of a seed, with numbers of its own: the other seeds are as they would be without
 * it. Pages are small, so that one is paced here that is not in the cloud,
 * and invocations are often short, so that the time is up in the middle of one.
 */
export function pacedClimate(
  seed: number,
): Pick<Settings, 'fanOutWriteUnits' | 'pacedWrites'> &
  Pick<Climate, 'partitionUnits'> & { readonly hurry?: number } {
  const random = new Random(seed ^ 0x9ace);
  if (random.chance(0.6))
    return { fanOutWriteUnits: 800, pacedWrites: 25, partitionUnits: Number.POSITIVE_INFINITY };
  return {
    fanOutWriteUnits: random.pick([50, 200, 800]),
    pacedWrites: random.int(1, 2),
    partitionUnits: random.pick([Number.POSITIVE_INFINITY, 2, 5, 20]),
    hurry: random.pick([0.3, 0.6]),
  };
}
