import { makeRegistry } from '../../src/model/registry.ts';
import type { Random } from '../../src/testing/simulation/random.ts';
import type { Scenario } from '../../src/testing/simulation/scenario.ts';
import type { Act, Acts, Applications, Scene } from '../../src/testing/simulation/scene.ts';
import type { Step } from '../../src/testing/simulation/world/step.ts';
import { loadRules } from '../application/load-rules.ts';
import { boardActs } from './applications/boards.ts';
import { chatActs } from './applications/chat.ts';
import { extremeActs } from './applications/extremes.ts';
import { incidentActs } from './applications/incidents.ts';
import { meddle } from './applications/meddler.ts';
import { shopActs } from './applications/shop.ts';
import { vaultActs } from './applications/vault.ts';
import { voteActs } from './applications/votes.ts';
import { boardOnPins } from './boards-rule.ts';
import { type Application, applications, type Climate, climateOf } from './climate.ts';
import { judgeArchive } from './oracle/archive-oracle.ts';
import { judgeStates } from './oracle/archived-states-oracle.ts';
import { relations } from './oracle/relations.ts';
import { judgeLeft, judgeSwept } from './oracle/sweep-oracle.ts';
import { archivesOfVault } from './vault-rules.ts';

const acts: Readonly<Record<Application, Acts>> = {
  incidents: incidentActs,
  chat: chatActs,
  shop: shopActs,
  boards: boardActs,
  vault: vaultActs,
  votes: voteActs,
};

/** The six applications, judged by what their data model says. */
export const scenario: Scenario = (seed) => {
  const climate = climateOf(seed);
  const own = loadRules({ statusShards: climate.statusShards, disabled: [] });
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
};

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
