import type { Scenario } from '../scenario.ts';
import { judgeArchiveAtRest } from './archive-at-rest.ts';
import type { Project } from './project.ts';
import { projectApplications } from './project-applications.ts';
import { projectClimate } from './project-climate.ts';
import { RuleWatch } from './rule-watch.ts';

/** The rules of a project, with applications that write items of their kinds. */
export function projectScenario(project: Project): Scenario {
  const { registry, rules } = project;
  const watch = new RuleWatch(project);
  const roots = new Set(rules.map(({ rule }) => rule.root));
  const copies = rules.map(({ rule }) => rule.copy);
  const isChained = copies.some((copy, index) => copies.indexOf(copy) !== index || roots.has(copy));
  return (seed) => ({
    registry,
    climate: projectClimate(seed, registry.archives.length > 0),
    relations: rules.map(({ relation }) => relation),
    applications: (scene) => projectApplications(project, scene),
    watch: (change, judged) => watch.note(change, judged),
    sweeps: 0,
    countsWrites: !isChained,
    judgeRest: (world) => judgeArchiveAtRest(world),
  });
}
