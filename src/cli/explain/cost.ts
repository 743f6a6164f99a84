import type { PricedStep } from '../../dev/dry-run/priced-table.ts';
import type { TableNames } from '../../model/table-names.ts';

/** What steps cost together, in read and write units. */
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
