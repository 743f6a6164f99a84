import { ModelTable } from '../../src/develop/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../src/develop/testing/table-model/model-table-port.ts';
import { sameItem } from '../../src/develop/testing/table-model/same-value.ts';
import type { Item, ItemKey } from '../../src/model/item.ts';
import type { ArchivedItem } from '../../src/operate/archive/read-states.ts';
import { type RestoreOutcome, restore } from '../../src/operate/archive/restore.ts';
import { systemClock } from '../../src/worker/adapters/system-clock.ts';
import type { ArchiveNotes, ArchiveReader } from '../../src/worker/archive/ports.ts';
import type { PutPort, TablePort } from '../../src/worker/ports.ts';
import { Budget } from '../../src/worker/scan/budget.ts';
import { table as names } from '../fixtures/model/table.ts';
import { ModelPut } from '../table-model/model-put.ts';
import type { Judged } from './judge.ts';

/** How often a restore that could not do all is made again: what stands already is passed over. */
const maxRuns = 3;

/** A table without items, into which lives are restored. */
export interface EmptyTable {
  readonly table: Pick<TablePort, 'getMany'>;
  readonly put: PutPort;
  read(key: ItemKey): Promise<Item | undefined>;
}

/** A table in memory, with nothing in it. */
export async function emptyModelTable(): Promise<EmptyTable> {
  const table = new ModelTable(names);
  return {
    table: new ModelTablePort(table),
    put: new ModelPut(table),
    read: async (key) => table.read(key),
  };
}

/**
 * Restores every life that ended, into a fresh table for the first ones, another for the second ones, and so on.
 * @returns how many came back as they last were, their expiry aside, and what did not
 */
export async function restoreAll(
  reader: ArchiveReader,
  notes: ArchiveNotes,
  items: readonly Judged[],
  freshTable: () => Promise<EmptyTable>,
): Promise<{ readonly restored: number; readonly differing: readonly string[] }> {
  let restored = 0;
  const differing: string[] = [];
  for (let life = 0; ; life += 1) {
    const some = items.filter(({ ends }) => ends.length > life);
    if (some.length === 0) return { restored, differing };
    const chosen = new Map(some.map(({ item, ends }) => [item.states, ends[life]?.state] as const));
    const fresh = await freshTable();
    const unlimited = new Budget(Number.POSITIVE_INFINITY, systemClock);
    for (let run = 1; run <= maxRuns; run += 1) {
      const failed: string[] = [];
      await restore(
        {
          ...{ names, reader, notes, table: fresh.table, put: fresh.put, writes: unlimited },
          clock: systemClock,
          choose: (states) => chosen.get(states),
          ...{ overwrite: false, dryRun: false, waitEvery: undefined, concurrency: 16, stop: () => false },
          retrieving: { tier: 'Standard', days: 1 },
          onOutcome: (outcome) => {
            if (outcome.is === 'restored' || (run > 1 && outcome.is === 'exists')) return;
            failed.push(outcomeText(outcome));
          },
        },
        each(some.map(({ item }) => item)),
      );
      if (failed.length === 0) break;
      if (run === maxRuns) differing.push(...failed);
    }
    for (const { was, ends } of some) {
      const { [names.ttl]: _, ...last } = ends[life]?.end.last ?? {};
      if (sameItem(await fresh.read(was.key), last)) restored += 1;
      else differing.push(`${was.key.pk} ${was.key.sk}, life ${life}`);
    }
  }
}

async function* each(items: readonly ArchivedItem[]): AsyncGenerator<ArchivedItem> {
  yield* items;
}

function outcomeText({ is, kind, key, error }: RestoreOutcome): string {
  return `${kind} ${key?.pk} ${key?.sk}: ${is} ${error?.code ?? ''}`;
}
