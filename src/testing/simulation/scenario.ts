import type { Applications, Scene } from './scene.ts';
import type { Setting } from './world/setting.ts';
import type { World } from './world/world.ts';

/** What one seed plays. */
export interface Play extends Setting {
  applications(scene: Scene): Applications;
  /** Sweeps at rest; 0 where nothing ages. */
  readonly sweeps: number;
  /**
   * Whether the writes of the worker can be counted ahead: not where its writes make other rules match, or where two rules
   * write to one copy.
   */
  readonly countsWrites: boolean;
  /** Judges what relations do not say, at rest. @param redriven whether dead letters were redriven, and sweeps ran */
  judgeRest(world: World, redriven: boolean): Promise<void>;
}

/** What a seed makes of the rules and the applications that are simulated. */
export type Scenario = (seed: number) => Play;
