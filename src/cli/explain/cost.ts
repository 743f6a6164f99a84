import type { PricedStep } from '../../develop/dev/dry-run/priced-table.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { Explanation } from './explain-subjects.ts';
import type { Part, PartOf, PlannedPropagation } from './planned-worker.ts';
import type { Round } from './rounds.ts';

/** The total cost of some steps, in read and write units. */
export interface Cost {
  readonly readUnits: number;
  readonly writeUnits: {
    readonly table: number;
    readonly indexes: Readonly<Record<string, number>>;
    readonly total: number;
  };
}

export function costOf(table: TableNames, steps: readonly PricedStep[]): Cost {
  const indexes = Object.fromEntries(Object.values(table.indexes).map(({ name }) => [name, 0]));
  let [reads, own, total] = [0, 0, 0];
  for (const step of steps) {
    if ('readUnits' in step) {
      reads += step.readUnits;
      continue;
    }
    own += step.writeUnits.table;
    total += step.writeUnits.total;
    for (const [name, units] of Object.entries(step.writeUnits.indexes))
      indexes[name] = (indexes[name] ?? 0) + units;
  }
  return { readUnits: reads, writeUnits: { table: own, indexes, total } };
}

/** The cost of one part of the work. */
export interface CostRow {
  readonly of: string;
  readonly cost: Cost;
}

/** The cost of each part of the work and the total. Parts without cost are left out. */
export function costRows(
  table: TableNames,
  { first, after }: Explanation,
): { readonly rows: readonly CostRow[]; readonly total: Cost } {
  const parts: readonly (readonly [string, readonly PricedStep[]])[] = [
    ...first.propagations.flatMap((propagation) => [
      [propagation.message.rule, stepsBy(propagation, 'at once')] as const,
      [`${propagation.message.rule}, at the end of a period`, stepsBy(propagation, 'end of period')] as const,
      [`${propagation.message.rule}, the rest through the queue`, stepsBy(propagation, 'queue')] as const,
      [`${propagation.message.rule}, recheck`, stepsBy(propagation, 'recheck')] as const,
    ]),
    ['checks of copies', first.check?.steps ?? []],
    ['archiving', first.archived.flatMap(({ steps }) => steps)],
    ['writes that come back on the stream', after.flatMap(stepsOf)],
  ];
  return {
    rows: parts
      .filter(([, steps]) => steps.length > 0)
      .map(([of, steps]) => ({ of, cost: costOf(table, steps) })),
    total: costOf(
      table,
      parts.flatMap(([, steps]) => steps),
    ),
  };
}

function stepsBy({ parts }: PlannedPropagation, by: PartOf): readonly PricedStep[] {
  return parts.filter((part: Part) => part.by === by).flatMap(({ steps }) => steps);
}

function stepsOf({ propagations, check, archived }: Round): PricedStep[] {
  return [
    ...propagations.flatMap(({ parts }) => parts.flatMap(({ steps }) => steps)),
    ...(check?.steps ?? []),
    ...archived.flatMap(({ steps }) => steps),
  ];
}
