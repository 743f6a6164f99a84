import type { TableNames } from '../model/items/table-names.ts';
import { nothingPaused, type Pauses, pausesIn, pausesKey } from '../model/rules/pauses.ts';
import type { ClockPort, TableReads } from './ports.ts';

/** @throws TransientError as {@link TableReads} does */
export async function readPauses(table: Pick<TableReads, 'get'>, names: TableNames): Promise<Pauses> {
  const key = pausesKey(names);
  return key === undefined ? nothingPaused : pausesIn((await table.get(key))?.item);
}

/** How long after a pause began or ended a function may not know it, in milliseconds. */
export const freshForMs = 20_000;

/** Reads them again when they are older than {@link freshForMs}: a container keeps them from one invocation to the next. */
export function pausesReader(
  names: TableNames,
  clock: Pick<ClockPort, 'now'>,
): (table: Pick<TableReads, 'get'>) => Promise<Pauses> {
  let known: { readonly pauses: Pauses; readonly at: number } | undefined;
  return async (table) => {
    const now = clock.now();
    if (known === undefined || now - known.at >= freshForMs)
      known = { pauses: await readPauses(table, names), at: now };
    return known.pauses;
  };
}
