import { busy, countUsual, countWorker, memoryMb, quiet } from './counted-runs.ts';
import type { Counts } from './counts.ts';
import { prices } from './prices.ts';
import { incident, user } from './workloads.ts';

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
  /** US dollars. */
  readonly dollars: {
    readonly writes: number;
    readonly reads: number;
    readonly lambda: number;
    readonly sqs: number;
    readonly logs: number;
    readonly total: number;
  };
}

const million = 1_000_000;
const loads = { busy, quiet };
/** Fan-outs, and how many of them come at one time. */
const cases = [
  { copies: 5, load: 'quiet' },
  { copies: 5, load: 'busy' },
  { copies: 50, load: 'busy' },
  { copies: 500, load: 'busy' },
] as const;

/** Counts every way for every fan-out. */
export async function costRows(): Promise<CostRow[]> {
  const rows: CostRow[] = [];
  for (const [by, make] of [['partition', incident] as const, ['index', user] as const])
    for (const { copies, load } of cases) {
      const counted: [Way, Counts][] = [
        ['worker, no window', await countWorker(make, loads[load], copies, 0)],
        ['worker, window of 1 s', await countWorker(make, loads[load], copies, 1)],
        ['usual handler', await countUsual(make, loads[load], copies)],
      ];
      rows.push(...counted.map(([way, counts]) => costRow({ copies, by, load, way }, counts)));
    }
  return rows;
}

/** What these counts cost, brought to a million copy writes. */
export function costRow(what: Case, counted: Counts): CostRow {
  const counts = scaled(counted, million / counted.copiesWritten);
  const gbSeconds = (counts.milliseconds / 1000) * (memoryMb / 1024);
  const dollars = {
    writes: (counts.writeUnits / million) * prices.writeUnits,
    reads: (counts.readUnits / million) * prices.readUnits,
    lambda: (counts.invocations / million) * prices.invocations + (gbSeconds / million) * prices.gbSeconds,
    sqs: (counts.sqsRequests / million) * prices.sqsRequests,
    logs: (counts.logBytes / 2 ** 30) * prices.logGb,
  };
  const total = Object.values(dollars).reduce((sum, one) => sum + one, 0);
  return { ...what, counts, dollars: { ...dollars, total } };
}

function scaled(counts: Counts, factor: number): Counts {
  const requests = Object.entries(counts.requests).map(([name, number]) => [name, number * factor] as const);
  return {
    ...{ readUnits: counts.readUnits * factor, writeUnits: counts.writeUnits * factor },
    ...{ requests: Object.fromEntries(requests), invocations: counts.invocations * factor },
    ...{ milliseconds: counts.milliseconds * factor, sqsRequests: counts.sqsRequests * factor },
    ...{ logBytes: counts.logBytes * factor, copiesWritten: counts.copiesWritten * factor },
  };
}

/** The table as Markdown. */
export function costTable(rows: readonly CostRow[]): string {
  const lines = rows.map(({ copies, by, load, way, counts, dollars }) => {
    const { readUnits, writeUnits, invocations, milliseconds, sqsRequests, logBytes } = counts;
    const gbSeconds = (milliseconds / 1000) * (memoryMb / 1024);
    const cells = [
      ...[millions(writeUnits), millions(readUnits), millions(invocations), thousands(gbSeconds)],
      ...[millions(sqsRequests), (logBytes / 2 ** 30).toFixed(2)],
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
