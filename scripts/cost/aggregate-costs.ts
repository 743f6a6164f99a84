import { type AggregateCost, costOfAggregate } from '../../src/develop/cost/cost-of-aggregate.ts';
import type { Aggregate } from '../../src/model/aggregate.ts';
import { contenderTotals } from '../../src/rules/contender-totals.ts';
import { registry, stack } from './costs.ts';

/** Members of a target, of this size in bytes, and changes of a member a second. */
const members = [10, 200, 2_000];
const itemBytes = 200;
const changesPerSecond = [1, 50];

/** What a change of a member costs where members are in a partition, and where an index finds them. */
export function aggregateCosts(): Promise<readonly AggregateCost[]> {
  return Promise.all(
    (['partition', 'index'] as const).map((where) =>
      costOfAggregate(stack, registry, only(where), { fanOuts: members, itemBytes }),
    ),
  );
}

function only(where: 'partition' | 'index'): Aggregate {
  return { ...contenderTotals, members: contenderTotals.members.filter((location) => location.in === where) };
}

/** Read units a second, and the dollars of a million changes (the usual handler in brackets), as Markdown. */
export function aggregateCostTable(costs: readonly AggregateCost[]): string {
  const [partition, index] = costs;
  const lines = members.map((count) => {
    const cells = [partition, index].flatMap((cost) => {
      const row = cost?.rows.find((one) => one.members === count);
      if (row === undefined) throw new Error(`Expected the cost of ${count} members`);
      const units = changesPerSecond.map((rate) => number(row.worker.counts.readUnits * rate));
      return [...units, `${dollars(row.worker.dollars.total)} (${dollars(row.usual.dollars.total)})`];
    });
    return `| ${number(count)} | ${cells.join(' | ')} |`;
  });
  return [
    '| members of a target | in a partition, 1 change a second | 50 | $ a million | by an index, 1 change a second | 50 | $ a million |',
    `|---|${'--:|'.repeat(6)}`,
    ...lines,
  ].join('\n');
}

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

function dollars(value: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
