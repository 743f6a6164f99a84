import config from '../../denorm.config.ts';
import { stackSettings } from '../../src/deploy/stack-settings.ts';
import { projectStack } from '../../src/deploy/stack-template.ts';
import { countUsual } from '../../src/develop/cost/count-usual.ts';
import { countWorker } from '../../src/develop/cost/count-worker.ts';
import { type Counts, scaled } from '../../src/develop/cost/counts.ts';
import type { Changes } from '../../src/develop/cost/play-changes.ts';
import { type Dollars, dollarsOf } from '../../src/develop/cost/prices.ts';
import { incidentOnParticipations } from '../../src/rules/incident-on-participations.ts';
import { usernameOnMemberships } from '../../src/rules/username-on-memberships.ts';
import { incident, type MakeWorkload, user } from './workloads.ts';

/** How a change reaches its copies. */
export type Way = 'worker, no window' | 'worker, window of 1 s' | 'usual handler';

/** What is counted: a fan-out, how its copies are found, and who writes. */
export interface Case {
  readonly copies: number;
  readonly by: 'partition' | 'index';
  readonly way: Way;
}

/** Everything of a million copy writes. */
export interface CostRow extends Case {
  readonly counts: Counts;
  readonly dollars: Dollars;
}

/**
 * How many copies are written a second on one shard, and in a run altogether. Fan-outs of 5 come ten times a second, of 500 every
 * ten seconds: what comes at one time shares invocations.
 */
export const load = { copiesPerSecond: 50, copies: 1_000 };

const million = 1_000_000;
const fanOuts = [5, 500];

const subjects = [
  { by: 'partition', make: incident, rule: incidentOnParticipations },
  { by: 'index', make: user, rule: usernameOnMemberships },
] as const;

export const registry = config.registry();
export const stack = stackSettings(projectStack({ config }));

/** Counts every way for every fan-out. */
export async function costRows(): Promise<CostRow[]> {
  const rows: CostRow[] = [];
  for (const { by, make, rule } of subjects)
    for (const copies of fanOuts) {
      const changes = changesOf(make, copies);
      const counted: [Way, Counts][] = [
        ['worker, no window', await countWorker({ registry, stack, windowSeconds: 0 }, changes)],
        ['worker, window of 1 s', await countWorker({ registry, stack, windowSeconds: 1 }, changes)],
        ['usual handler', await countUsual(registry.table, rule, changes)],
      ];
      rows.push(...counted.map(([way, counts]) => costRow({ copies, by, way }, counts)));
    }
  return rows;
}

/** Roots of the load, each with so many copies. */
function changesOf(make: MakeWorkload, copies: number): Changes {
  const workloads = Array.from({ length: load.copies / copies }, (_, index) =>
    make(String(index).padStart(4, '0'), copies),
  );
  return {
    before: workloads.flatMap(({ before }) => before),
    after: workloads.map(({ after }) => after),
    everySeconds: copies / load.copiesPerSecond,
  };
}

/** What these counts cost, brought to a million copy writes. */
export function costRow(what: Case, counted: Counts): CostRow {
  const counts = scaled(counted, million / counted.copiesWritten);
  return { ...what, counts, dollars: dollarsOf(counts) };
}

/** The table as Markdown. */
export function costTable(rows: readonly CostRow[]): string {
  const lines = rows
    .filter(({ way }) => way !== 'worker, no window')
    .map(({ copies, by, way, counts, dollars }) => {
      const { readUnits, writeUnits, invocations, sqsRequests } = counts;
      const cells = [writeUnits, readUnits, invocations, sqsRequests].map(millions);
      return `| ${copies}, by ${by} | ${way.replace(/,.*/, '')} | ${cells.join(' | ')} | **$${dollars.total.toFixed(2)}** |`;
    });
  return [
    '| copies, found by | | write units, M | read units, M | invocations, M | SQS requests, M | together |',
    '|---|---|--:|--:|--:|--:|--:|',
    ...lines,
  ].join('\n');
}

function millions(number: number): string {
  return (number / million).toFixed(2);
}
