import { faultProfileOf } from '../../src/develop/testing/simulation/project/fault-profile-of.ts';
import { interfere } from '../../src/develop/testing/simulation/project/interfere.ts';
import { projectOf } from '../../src/develop/testing/simulation/project/project.ts';
import { projectScenario } from '../../src/develop/testing/simulation/project/project-scenario.ts';
import { Random } from '../../src/develop/testing/simulation/random.ts';
import type { Scenario } from '../../src/develop/testing/simulation/scenario.ts';
import type { Operation, Operations, Workload } from '../../src/develop/testing/simulation/workload.ts';
import type { FaultProfile } from '../../src/develop/testing/simulation/world/fault-profile.ts';
import type { Step } from '../../src/develop/testing/simulation/world/step.ts';
import type { World } from '../../src/develop/testing/simulation/world/world.ts';
import { defineArchive } from '../../src/model/archive-rule.ts';
import { makeRegistry, type Registry } from '../../src/model/registry.ts';
import { table } from '../../src/table.ts';
import { defaultSettings } from '../../src/worker/ports.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { boardOperations } from './applications/boards.ts';
import { type Extreme, extremeOperations } from './applications/extremes.ts';
import { boardOnPins, pin } from './boards-rule.ts';
import { catalogue } from './catalogue-rules.ts';
import { checkArchive } from './oracle/archive-oracle.ts';
import { checkStates } from './oracle/archived-states-oracle.ts';
import { pins } from './oracle/pins.ts';
import { checkLeft, checkSwept } from './oracle/sweep-oracle.ts';
import { tournament } from './tournament-rules.ts';
import { archivesOfVault } from './vault-rules.ts';

/** Made once: a project is much slower to make than a seed is to play. */
const shops = new Map([1, 3].map((shards) => [shards, derived(shopRules(shards))]));
const catalogues = derived(catalogue());
const tournaments = new Map(
  [1, 2, 3].flatMap((limit) =>
    [undefined, 30].map((every) => [`${limit} ${every}`, derived(tournament({ limit, every }))] as const),
  ),
);
const boardRules = makeRegistry(
  table,
  [boardOnPins],
  [defineArchive({ name: 'archive-pins', kinds: [pin], onDelete: 'archive' })],
);
const { project: boardProject } = projectOf(boardRules);

/** Applications of these rules. Each run has a registry of its own, by which a planted bug may remember what happened in it. */
function derived(registry: Registry): Scenario {
  const { project, obstacles } = projectOf(registry);
  if (obstacles.length > 0) throw new Error(obstacles.map(({ message }) => message).join('\n'));
  const scenario = projectScenario(project);
  return (seed) => ({ ...scenario(seed), registry: { ...registry } });
}

/** The rules of this repository but its votes, which the tournament extends, and archive rules of every kind. */
function shopRules(statusShards: number): Registry {
  const disabled = ['head-to-head-keys', 'leaderboard-keys', 'contender-totals'];
  const own = loadRules({ statusShards, disabled });
  return makeRegistry(own.table, own.rules, [...own.archives, ...archivesOfVault]);
}

/** Archive and sweep are observed by what the data model says. */
const shop: Scenario = (seed) => {
  const play = shops.get(seed % 2 === 0 ? 1 : 3)?.(seed) ?? catalogues(seed);
  return {
    ...play,
    watch(change, observed) {
      play.watch?.(change, observed);
      const { archive, table, oracle, findings } = observed;
      if (change.by === 'sweep') checkSwept(change, archive, table, oracle.lives, findings);
    },
    countsWrites: true,
    async checkRest(world, redriven) {
      await play.checkRest(world, redriven);
      if (redriven) checkLeft(world.table, world.clock.now, world.findings);
      await checkArchived(world);
    },
  };
};

/** Written and observed by hand: nothing of it follows from the rule. */
const boards: Scenario = (seed) => {
  const extreme = new Random(seed ^ 0x0dd).weighted<Extreme | undefined>([
    [0.2, 'wide'],
    [0.15, 'large'],
    [0.1, 'long'],
    [0.55, undefined],
  ]);
  return {
    profile: extremeProfile(faultProfileOf(seed, boardRules), extreme),
    registry: { ...boardRules },
    relations: [pins],
    applications: (workload) => ({
      open: () => stepOf(workload, 'boards', boardOperations.slice(0, 1)),
      write: () =>
        extreme !== undefined && workload.random.chance(0.4)
          ? stepOf(workload, extreme, extremeOperations[extreme])
          : stepOf(workload, 'boards', boardOperations),
      interfere: () => interfere(boardProject, workload),
    }),
    sweeps: 0,
    countsWrites: true,
    checkRest: checkArchived,
  };
};

function extremeProfile({ settings, ...profile }: FaultProfile, extreme: Extreme | undefined): FaultProfile {
  if (extreme === 'large') return { ...profile, settings: { ...settings, pageLimit: 4 }, longValues: true };
  if (extreme !== 'long') return { ...profile, settings };
  // Only where many copies of one root come in one batch does a message name them all. So many messages of one root take a
  // partition of a few units a second longer than an impatient worker waits.
  const { maxUnavailableSeconds } = defaultSettings;
  const pageLimit = Math.min(settings.pageLimit, 3);
  return {
    ...profile,
    settings: { ...settings, pageLimit, maxUnavailableSeconds },
    shards: 1,
    longBatches: true,
  };
}

async function checkArchived({ archive, table, oracle, cutShort, findings }: World): Promise<void> {
  checkArchive(archive, table, oracle.lives, cutShort, findings);
  await checkStates(archive, table, cutShort, findings);
}

function stepOf(workload: Workload, who: string, some: Operations): Step | undefined {
  const writes = workload.random.weighted<Operation>(some)?.(workload) ?? [];
  return writes.length === 0 ? undefined : { do: 'write', who, writes };
}

/** What a seed may play. Totals and created copies need seeds of their own. */
export const worlds = {
  applications: (seed) => (new Random(seed ^ 0xb0a2d).chance(0.35) ? boards : shop)(seed),
  catalogue: (seed) => ({ ...catalogues(seed), countsWrites: true }),
  tournament(seed) {
    const random = new Random(seed ^ 0x707a1);
    const limit = random.chance(0.2) ? random.int(1, 2) : 3;
    return (tournaments.get(`${limit} ${random.chance(0.3) ? 30 : undefined}`) ?? catalogues)(seed);
  },
} satisfies Readonly<Record<string, Scenario>>;

/** A fifth of the seeds play the tournament, a tenth the catalogue. */
export const scenario: Scenario = (seed) => {
  const world = new Random(seed ^ 0xca7a1).weighted<Scenario>([
    [7, worlds.applications],
    [2, worlds.tournament],
    [1, worlds.catalogue],
  ]);
  return (world ?? worlds.applications)(seed);
};
