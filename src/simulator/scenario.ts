import type { Project } from '../examples/project-examples.ts';
import type { Random } from '../examples/random.ts';
import { applicationsOf } from './applications.ts';
import { type FaultProfile, faultProfileOf } from './fault-profile.ts';
import type { Workload } from './scheduler.ts';
import type { RulesOfRun } from './world/deployments.ts';
import type { World } from './world/world.ts';

export interface SimulatedRun extends RulesOfRun {
  readonly profile: FaultProfile;
  workload(random: Random, world: World): Workload;
  /** Whether the worker's writes at rest are counted: only where none of them makes another rule match. */
  readonly countsWrites: boolean;
}

export type Scenario = (seed: number) => SimulatedRun;

export function projectScenario(project: Project): Scenario {
  return (seed) => ({
    // Each run has a registry of its own, by which a planted bug may remember what happened in it.
    registry: { ...project.registry },
    profile: faultProfileOf(seed, project.registry),
    workload: (random, world) => applicationsOf(project, random, world),
    // One rule's writes may make another match. And what breaks is to be seen in the steps of the run.
    countsWrites: false,
  });
}
