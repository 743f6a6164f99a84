import type { Explored, SmallWorld } from '../../simulator/exhaustive/explore.ts';
import { type ExploringOnThreads, exploreOnThreads } from '../../simulator/exhaustive/explore-on-threads.ts';
import { interruption } from '../interruption.ts';
import { progressBar } from '../output/terminal.ts';

/** Explores every world, shows how far it is, and stops at Ctrl+C. */
export async function exploreWorlds(
  worlds: readonly SmallWorld[],
  exploring: Omit<ExploringOnThreads, 'stopped' | 'progress'>,
): Promise<readonly Explored[]> {
  const progress = progressBar({ label: 'simulate', unit: 'states' });
  const stop = interruption();
  const found = await exploreOnThreads(worlds, {
    ...exploring,
    stopped: stop.asked,
    progress: (states) => progress.update(states),
  });
  stop.end();
  progress.stop();
  return found;
}
