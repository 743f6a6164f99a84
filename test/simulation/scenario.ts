import { Random } from '../../src/develop/testing/simulation/random.ts';
import type { Play, Scenario } from '../../src/develop/testing/simulation/scenario.ts';
import type { Act, Acts, Applications, Scene } from '../../src/develop/testing/simulation/scene.ts';
import type { Step } from '../../src/develop/testing/simulation/world/step.ts';
import { makeRegistry } from '../../src/model/registry.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { boardActs } from './applications/boards.ts';
import { catalogueActs, meddleWithKeys } from './applications/catalogue.ts';
import { chatActs } from './applications/chat.ts';
import { extremeActs } from './applications/extremes.ts';
import { incidentActs } from './applications/incidents.ts';
import { meddle } from './applications/meddler.ts';
import { shopActs } from './applications/shop.ts';
import { meddleWithTargets, tournamentActs } from './applications/tournament.ts';
import { vaultActs } from './applications/vault.ts';
import { voteActs } from './applications/votes.ts';
import { boardOnPins } from './boards-rule.ts';
import { catalogue } from './catalogue-rules.ts';
import { type Application, applications, type Climate, climateOf } from './climate.ts';
import { judgeArchive } from './oracle/archive-oracle.ts';
import { judgeStates } from './oracle/archived-states-oracle.ts';
import { catalogueRelations, judgeKeys } from './oracle/catalogue-relations.ts';
import { relations } from './oracle/relations.ts';
import { judgeLeft, judgeSwept } from './oracle/sweep-oracle.ts';
import { tournamentRelations, tournamentTotals } from './oracle/tournament-relations.ts';
import { tournament } from './tournament-rules.ts';
import { archivesOfVault } from './vault-rules.ts';

const acts: Readonly<Record<Application, Acts>> = {
  incidents: incidentActs,
  chat: chatActs,
  shop: shopActs,
  boards: boardActs,
  vault: vaultActs,
  votes: voteActs,
};

/** How many of the seeds play the tournament, which has a chain of totals, instead of the other applications. */
const tournaments = 0.2;

/** How many of them play the catalogue, whose copies are created. */
const catalogues = 0.1;

/** The applications, judged by what their data model says. */
export const scenario: Scenario = (seed) => {
  const climate = climateOf(seed);
  if (new Random(seed ^ 0xca7a1).chance(catalogues)) return catalogueOf(climate);
  const random = new Random(seed ^ 0x707a1);
  return random.chance(tournaments) ? tournamentOf(climate, random) : applicationsIn(climate);
};

/** Every seed plays the six applications. */
export const onlyApplications: Scenario = (seed) => applicationsIn(climateOf(seed));

/** Every seed plays the tournament. */
export const onlyTournaments: Scenario = (seed) => tournamentOf(climateOf(seed), new Random(seed ^ 0x707a1));

/** Every seed plays the catalogue. */
export const onlyCatalogues: Scenario = (seed) => catalogueOf(climateOf(seed));

function catalogueOf(climate: Climate): Play {
  return {
    climate: { ...climate, longBatches: false, longValues: false, sweeping: 0 },
    registry: catalogue(),
    relations: catalogueRelations,
    applications(scene) {
      const act = (some: Acts) => actOf(scene.random, scene, 'catalogue', some);
      return {
        open: () => act(catalogueActs.slice(0, 2)),
        write: () => act(catalogueActs),
        meddle: () => meddleWithKeys(scene),
      };
    },
    sweeps: 0,
    countsWrites: true,
    async judgeRest(world, redriven) {
      if (redriven) judgeKeys(world);
    },
  };
}

/** Totals are judged at rest: as members change they go back and forth, so writes are not counted. */
function tournamentOf(climate: Climate, choice: Random): Play {
  const every = choice.chance(0.3) ? 30 : undefined;
  const limit = choice.chance(0.2) ? choice.int(1, 2) : 3;
  const totals = tournamentTotals(limit);
  return {
    climate: {
      ...climate,
      longBatches: false,
      longValues: false,
      sweeping: 0,
      meddling: Math.max(1, climate.meddling),
      lulls: 0.15,
      stalling: 0.3,
    },
    registry: tournament({ every, limit }),
    relations: tournamentRelations,
    totals,
    applications(scene) {
      const act = (some: Acts) => actOf(scene.random, scene, 'tournament', some);
      return {
        open: () => act(tournamentActs.slice(0, 1)),
        write: () => act(tournamentActs),
        meddle: () => meddleWithTargets(scene, totals),
      };
    },
    sweeps: 0,
    countsWrites: false,
    async judgeRest() {},
  };
}

function applicationsIn(climate: Climate): Play {
  // The votes have a world of their own.
  const disabled = ['head-to-head-keys', 'leaderboard-keys', 'contender-totals'];
  const own = loadRules({ statusShards: climate.statusShards, disabled });
  return {
    climate,
    registry: makeRegistry(own.table, [...own.rules, boardOnPins], [...own.archives, ...archivesOfVault]),
    relations: relations(climate.statusShards),
    applications: (scene) => applicationsOf(scene, climate),
    watch(change, { archive, table, judge, verdict }) {
      if (change.by === 'sweep') judgeSwept(change, archive, table, judge.lives, verdict);
    },
    // The first goes on with a pass that was stopped, the second looks at everything.
    sweeps: 2,
    countsWrites: true,
    async judgeRest({ archive, table, clock, judge, cutShort, verdict }, redriven) {
      if (redriven) judgeLeft(table, clock.now, verdict);
      judgeArchive(archive, table, judge.lives, cutShort, verdict);
      await judgeStates(archive, table, cutShort, verdict);
    },
  };
}

function applicationsOf(scene: Scene, { weights, extreme }: Climate): Applications {
  const { random } = scene;
  const someone = () => random.weighted(applications.map((name) => [weights[name], name] as const));
  return {
    /** The first of its acts. */
    open() {
      const who = someone();
      const writes = (who && acts[who][0]?.[1](scene)) ?? [];
      return who === undefined ? undefined : { do: 'write', who, writes };
    },
    write() {
      if (extreme !== undefined && random.chance(0.4))
        return actOf(random, scene, extreme, extremeActs[extreme]);
      const who = someone();
      return who && actOf(random, scene, who, acts[who]);
    },
    meddle: () => meddle(scene),
  };
}

function actOf(random: Random, scene: Scene, who: string, some: Acts): Step | undefined {
  const writes = random.weighted<Act>(some)?.(scene) ?? [];
  return writes.length === 0 ? undefined : { do: 'write', who, writes };
}
