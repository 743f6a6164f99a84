import { totalsOf } from '../../totals-of.ts';
import type { Scenario } from '../scenario.ts';
import { checkArchiveAtRest } from './archive-at-rest.ts';
import { faultProfileOf } from './fault-profile-of.ts';
import type { Project } from './project.ts';
import { projectApplications } from './project-applications.ts';
import { RuleWatch } from './rule-watch.ts';

/** The rules of a project, with applications that write items of their kinds. */
export function projectScenario(project: Project): Scenario {
  const { registry, rules } = project;
  const watch = new RuleWatch(project);
  return (seed) => ({
    registry,
    profile: faultProfileOf(seed, registry),
    relations: rules.map(({ relation }) => relation),
    totals: registry.aggregates.map((aggregate) => totalsOf(registry.table, aggregate)),
    applications: (workload) => projectApplications(project, workload),
    watch: (change, observed) => watch.note(change, observed),
    // The first goes on with a pass that was stopped, the second looks at everything.
    sweeps: registry.archives.some(({ ages }) => ages !== undefined) ? 2 : 0,
    // One rule's writes may make another match. And what breaks is to be seen in the steps of the run.
    countsWrites: false,
    checkRest: (world) => checkArchiveAtRest(world),
  });
}
