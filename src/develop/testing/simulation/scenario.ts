import type { Applications, Workload } from './workload.ts';
import type { Setting } from './world/setting.ts';
import type { World } from './world/world.ts';

/** What one seed plays. */
export interface Play extends Setting {
  applications(workload: Workload): Applications;
  /** Sweeps at rest; 0 where nothing ages. */
  readonly sweeps: number;
  /**
   * Whether applications write once more at rest, and the writes of the worker that follow are counted: only where none of
   * them makes another rule match.
   */
  readonly countsWrites: boolean;
  /** Judges what relations do not say, at rest. @param redriven whether dead letters were redriven, and sweeps ran */
  checkRest(world: World, redriven: boolean): Promise<void>;
}

/** What a seed makes of the rules and the applications that are simulated. */
export type Scenario = (seed: number) => Play;
