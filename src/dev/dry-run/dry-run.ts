import type { ArchivePort } from '../../archive/ports.ts';
import type { GuardedRemoval, GuardedUpdate, RootCondition } from '../../model/guarded-write.ts';
import type { ItemKey } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { TablePort } from '../../ports.ts';
import { PricedTable } from './priced-table.ts';

/** One thing that a run would do. Reads were done; nothing else was. */
export type PlanStep =
  | { readonly does: 'read'; readonly key: ItemKey }
  | { readonly does: 'query'; readonly where: string }
  | { readonly does: 'update'; readonly update: GuardedUpdate }
  | { readonly does: 'remove'; readonly root: RootCondition; readonly removal: GuardedRemoval }
  | { readonly does: 'archive'; readonly objectKey: string; readonly replaces: boolean }
  | { readonly does: 'erase'; readonly objectKey: string }
  | { readonly does: 'send'; readonly message: Message; readonly delaySeconds: number };

/** The table, read as ever; writes are noted and remembered, so that the run goes on as if they had been done. */
export function plannedTable(inner: TablePort, table: TableNames, note: (step: PlanStep) => void): TablePort {
  const planned = new PricedTable(inner, table);
  return {
    async get(key) {
      note({ does: 'read', key });
      return planned.get(key);
    },
    async getMany(keys) {
      for (const key of keys) note({ does: 'read', key });
      return planned.getMany(keys);
    },
    async queryPartition(location, limit, from) {
      note({ does: 'query', where: `partition ${location.pk}${beginning(location.begins)}` });
      return planned.queryPartition(location, limit, from);
    },
    async queryIndex(location, limit, from) {
      note({
        does: 'query',
        where: `index ${location.index}, partition ${location.pk}${beginning(location.begins)}`,
      });
      return planned.queryIndex(location, limit, from);
    },
    async update(updates) {
      for (const update of updates) note({ does: 'update', update });
      return planned.update(updates);
    },
    async remove(root, removals) {
      for (const removal of removals) note({ does: 'remove', root, removal });
      return planned.remove(root, removals);
    },
  };
}

/** The archive, looked at and not written to. */
export function plannedArchive(inner: ArchivePort, note: (step: PlanStep) => void): ArchivePort {
  return {
    head: (objectKey) => inner.head(objectKey),
    async put(objectKey, _, replaces) {
      note({ does: 'archive', objectKey, replaces: replaces !== undefined });
      return true;
    },
    async erase(objectKey) {
      note({ does: 'erase', objectKey });
    },
  };
}

function beginning(begins: string | undefined): string {
  return begins === undefined ? '' : `, sort keys that begin with ${begins}`;
}
