import { fileURLToPath } from 'node:url';
import config from '../../denorm.config.ts';
import { gbSeconds } from '../../src/cost/assumptions.ts';
import { countUsual } from '../../src/cost/count-usual.ts';
import { countWorker } from '../../src/cost/count-worker.ts';
import { type Counts, scaled } from '../../src/cost/counts.ts';
import type { Changes } from '../../src/cost/play-changes.ts';
import { type Dollars, dollarsOf } from '../../src/cost/prices.ts';
import { readTemplate } from '../../src/dev/template.ts';
import { incidentOnParticipations } from '../../src/rules/incident-on-participations.ts';
import { usernameOnMemberships } from '../../src/rules/username-on-memberships.ts';
import { incident, type MakeWorkload, user } from './workloads.ts';

/** How a change reaches its copies. */
export type Way = 'worker, no window' | 'worker, window of 1 s' | 'usual handler';

/** What is counted: a fan-out, how its copies are found, how much comes at one time, and who writes. */
export interface Case {
  readonly copies: number;
  readonly by: 'partition' | 'index';
  readonly load: 'busy' | 'quiet';
  readonly way: Way;
}

/** Everything of a million copy writes. */
export interface CostRow extends Case {
  readonly counts: Counts;
  readonly dollars: Dollars;
}

/** How many copies are written a second on one shard, and in a run altogether. */
export interface Load {
  readonly copiesPerSecond: number;
  readonly copies: number;
}

export const loads = {
  /** Fan-outs of 5 come ten times a second, of 500 every ten seconds: what comes at one time shares invocations. */
  busy: { copiesPerSecond: 50, copies: 1_000 },
  /** Fan-outs of 5 come every ten seconds: each has invocations of its own. */
  quiet: { copiesPerSecond: 0.5, copies: 200 },
} as const satisfies Record<string, Load>;

const million = 1_000_000;
/** Fan-outs, and how many of them come at one time. */
const cases = [
  { copies: 5, load: 'quiet' },
  { copies: 5, load: 'busy' },
  { copies: 500, load: 'busy' },
] as const;

const subjects = [
  { by: 'partition', make: incident, rule: incidentOnParticipations },
  { by: 'index', make: user, rule: usernameOnMemberships },
] as const;

export const registry = config.registry();
export const template = readTemplate(fileURLToPath(new URL('../../template.yaml', import.meta.url)));

/** Counts every way for every fan-out. */
export async function costRows(): Promise<CostRow[]> {
  const rows: CostRow[] = [];
  for (const { by, make, rule } of subjects)
    for (const { copies, load } of cases) {
      const changes = changesOf(make, loads[load], copies);
      const counted: [Way, Counts][] = [
        ['worker, no window', await countWorker({ registry, template, windowSeconds: 0 }, changes)],
        ['worker, window of 1 s', await countWorker({ registry, template, windowSeconds: 1 }, changes)],
        ['usual handler', await countUsual(registry.table, rule, changes)],
      ];
      rows.push(...counted.map(([way, counts]) => costRow({ copies, by, load, way }, counts)));
    }
  return rows;
}

/** Roots of a load, each with so many copies. */
export function changesOf(make: MakeWorkload, load: Load, copies: number): Changes {
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
  const lines = rows.map(({ copies, by, load, way, counts, dollars }) => {
    const { readUnits, writeUnits, invocations, milliseconds, sqsRequests, logBytes } = counts;
    const cells = [
      ...[millions(writeUnits), millions(readUnits), millions(invocations)],
      ...[thousands(gbSeconds(milliseconds)), millions(sqsRequests), (logBytes / 2 ** 30).toFixed(2)],
    ];
    return `| ${copies}, by ${by}${load === 'quiet' ? ', quiet' : ''} | ${way} | ${cells.join(' | ')} | **$${dollars.total.toFixed(2)}** |`;
  });
  return [
    '| copies, found by | | write units, M | read units, M | invocations, M | GB-s, k | SQS requests, M | logs, GB | together |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|',
    ...lines,
  ].join('\n');
}

function millions(number: number): string {
  return (number / million).toFixed(2);
}

function thousands(number: number): string {
  return (number / 1_000).toFixed(1);
}
