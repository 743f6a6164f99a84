import { type Project, projectOf } from '../../src/examples/project-examples.ts';
import { Random } from '../../src/examples/random.ts';
import { defineArchive } from '../../src/model/rules/archive-rule.ts';
import { makeRegistry, type Registry } from '../../src/model/rules/registry.ts';
import { smallWorlds } from '../../src/simulator/exhaustive/small-worlds.ts';
import type { FaultProfile } from '../../src/simulator/fault-profile.ts';
import { projectScenario, type Scenario } from '../../src/simulator/scenario.ts';
import { table } from '../../src/table.ts';
import { defaultSettings } from '../../src/worker/ports.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { boardOnPins, pin } from './boards-rule.ts';
import { catalogue } from './catalogue-rules.ts';
import { type Extreme, extremesOf } from './extremes.ts';
import { folders } from './folders-rule.ts';
import { groupForms, groups } from './groups-rules.ts';
import { ledgerForms, ledgers } from './ledger-rules.ts';
import { likes } from './likes-rules.ts';
import { notes } from './notes-rules.ts';
import { tournament } from './tournament-rules.ts';
import { endProjects, unlinkingProject, varied } from './varied-rules.ts';
import { archivesOfVault } from './vault-rules.ts';

/** Made once: a project is much slower to make than a seed is to play. */
const shopProjects = [1, 3].map((shards) => made(shopRules(shards)));
const shops = shopProjects.map(projectScenario);
const catalogueProject = made(catalogue());
const catalogues = projectScenario(catalogueProject);
const tournaments = new Map(
  [1, 2, 3].flatMap((limit) =>
    [undefined, 30].map(
      (every) => [`${limit} ${every}`, projectScenario(made(tournament({ limit, every })))] as const,
    ),
  ),
);
const noteProjects = (['clear', 'delete'] as const).map((onUnlink) => made(notes(onUnlink)));
const notebooks = noteProjects.map(projectScenario);
const trees = projectScenario(made(folders()));
const likeProjects = [1, 3].map((shards) => made(likes(shards)));
const counters = likeProjects.map(projectScenario);
const ledgerScenarios = ledgerForms.map((form) => projectScenario(made(ledgers(form))));
const groupProjects = groupForms.map((form) => ({ form, project: made(groups(form)) }));
const groupScenarios: readonly Scenario[] = groupProjects.map(({ project }) => projectScenario(project));
const vaultScenario = projectScenario(made(makeRegistry(table, [], archivesOfVault)));

/** Between two requests for one batch of items, an invocation has to die. */
const vaults: Scenario = (seed) => {
  const { profile, ...play } = vaultScenario(seed);
  return { ...play, profile: { ...profile, crash: 0.06, archiving: 0.8 } };
};
const archivePins = defineArchive({ name: 'archive-pins', kinds: [pin], onDelete: 'archive' });
const boardProject = made(makeRegistry(table, [boardOnPins], [archivePins]));

function made(registry: Registry): Project {
  const { project, obstacles } = projectOf(registry);
  if (obstacles.length > 0) throw new Error(obstacles.map(({ message }) => message).join('\n'));
  return project;
}

/** The rules of this repository but its votes, which the tournament extends. */
function shopRules(statusShards: number): Registry {
  return loadRules({ statusShards, disabled: ['head-to-head-keys', 'leaderboard-keys', 'contender-totals'] });
}

/** Boards and pins, some of them extreme. */
const boards: Scenario = (seed) => {
  const play = projectScenario(boardProject)(seed);
  const extreme = new Random(seed ^ 0x0dd).weighted<Extreme | undefined>([
    [0.2, 'wide'],
    [0.15, 'large'],
    [0.1, 'long'],
    [0.55, undefined],
  ]);
  if (extreme === undefined) return play;
  return {
    ...play,
    profile: extremeProfile(play.profile, extreme),
    workload: (random, world) => extremesOf(boardProject, random, world, extreme),
  };
};

function extremeProfile({ settings, ...profile }: FaultProfile, extreme: Extreme): FaultProfile {
  if (extreme === 'large') return { ...profile, settings: { ...settings, pageLimit: 4 } };
  // So many messages of one root, or so many writes of one copy, take a partition of a few units a second longer than an impatient
  // worker waits.
  const { maxUnavailableSeconds } = defaultSettings;
  if (extreme !== 'long') return { ...profile, settings: { ...settings, maxUnavailableSeconds } };
  // Only where many copies of one root come in one batch does a message name them all.
  const pageLimit = Math.min(settings.pageLimit, 3);
  return {
    ...profile,
    settings: { ...settings, pageLimit, maxUnavailableSeconds },
    shards: 1,
    longBatches: true,
  };
}

function counted(scenario: Scenario | undefined): Scenario {
  return (seed) => ({ ...(scenario ?? catalogues)(seed), countsWrites: true });
}

/** With a fault they take minutes each: without one, they are tried in seconds. */
const tooManyWithFault =
  /^(board-on-pins: (changes|move|exclusion)|likes-of-post: changes|(notes-of-folder|sales-of-group), by an index|posted-sales-of-group: removal|member-on-address: relink)|relinks and goes$/;

const repeated =
  /^(contender-totals|house-totals|notes-of-author|author-on-notes|board-on-pins: a (late copy|new copy|copy that goes))\b/;

/** Targets that are removed when they are empty; with a ledger, what takes no hours. */
const smallGroups = groupProjects
  .filter(({ form: { onEmpty, invalid } }) => onEmpty === 'delete' && invalid === 'dead-letter')
  .flatMap(({ form: { found }, project }) =>
    smallWorlds(project).map((world) =>
      found === 'by an index' ? { ...world, name: world.name.replace(':', `, ${found}:`) } : world,
    ),
  )
  .filter(
    ({ name, lag }) =>
      /^(sales-of-group(, by an index)?: |posted-sales-of-group: removal)/.test(name) && lag === 0,
  );
/** Of the last two in a partition, and of the last one in an index with equal sort keys. */
const endWorlds = endProjects.flatMap((project, index) =>
  smallWorlds(project).flatMap(({ name, ...world }) => {
    const [rule, what] = name.split(': ');
    if (rule !== 'notes-of-folder' || what === 'changes' || what === 'removal') return [];
    return [{ ...world, name: `${rule}, ${['last 2', 'by an index'][index]}: ${what}` }];
  }),
);

/** Every way of locating, `creates`, `when`, each policy, moves, aggregates and ledgers, with an item or two. */
const allSmallWorlds = [
  ...[...shopProjects.slice(0, 1), catalogueProject, boardProject, ...noteProjects.slice(1)],
  ...[made(tournament({ limit: 3, every: undefined })), ...likeProjects.slice(0, 1)],
]
  .flatMap((project) => smallWorlds(project))
  .concat(smallGroups)
  // Where its copies are, the other worlds of this rule repeat those of others.
  .concat(smallWorlds(unlinkingProject()).filter(({ name }) => name.endsWith(': unlink')))
  .concat(endWorlds)
  // Of four aggregates that are recomputed, one is enough; the others have as many states as a world of another rule.
  .filter(({ name }) => !repeated.test(name))
  .map((world) => ({ ...world, faults: tooManyWithFault.test(world.name) ? 0 : world.faults }));

export const quarters = ['1', '2', '3', '4'] as const;
export type Quarter = (typeof quarters)[number];

/** All, or every fourth one. */
export function smallWorldsOf(quarter?: Quarter) {
  return allSmallWorlds.filter((_, index) => quarter === undefined || quarter === quarters[index % 4]);
}

const allGroups: Scenario = (seed) => new Random(seed ^ 0x96009).pick(groupScenarios)(seed);

/** What a seed may play. Totals and created copies need seeds of their own. */
export const worlds = {
  applications(seed) {
    const world = new Random(seed ^ 0xb0a2d).weighted<Scenario | undefined>([
      [3.5, boards],
      [1.5, vaults],
      [5, shops[seed % shops.length]],
    ]);
    return counted(world)(seed);
  },
  catalogue: counted(catalogues),
  counter: (seed) => (counters[seed % 2] ?? catalogues)(seed),
  ledgers: (seed) => (ledgerScenarios[seed % ledgerScenarios.length] ?? catalogues)(seed),
  /** Forms of rules and tables, and groups. */
  forms: (seed) => (seed % 8 === 0 ? allGroups : varied)(seed),
  /** Targets that an aggregate makes. */
  groups: allGroups,
  tree: trees,
  notebook: (seed) => (notebooks[seed % 2] ?? catalogues)(seed),
  tournament(seed) {
    const random = new Random(seed ^ 0x707a1);
    const limit = random.chance(0.2) ? random.int(1, 2) : 3;
    return (tournaments.get(`${limit} ${random.chance(0.3) ? 30 : undefined}`) ?? catalogues)(seed);
  },
} satisfies Readonly<Record<string, Scenario>>;

/** Most seeds play the applications, or forms of rules and tables; some of each play one of the others. */
export const scenario: Scenario = (seed) => {
  const world = new Random(seed ^ 0xca7a1).weighted<Scenario>([
    [5, worlds.applications],
    [2, worlds.tournament],
    [1, worlds.catalogue],
    [1, worlds.notebook],
    [1, worlds.counter],
    [1, worlds.ledgers],
    [0.5, worlds.tree],
    [3, worlds.forms],
    [0.5, worlds.groups],
  ]);
  return (world ?? worlds.applications)(seed);
};
