import type { GuardedRemoval, GuardedUpdate, RootCondition } from '../domain/guarded-write.ts';
import type { ItemKey } from '../domain/item.ts';
import type { Message } from '../domain/message.ts';
import type { ArchivePort, TablePort } from '../execution/ports.ts';

/** One thing that a run would do. Reads were done; nothing else was. */
export type PlanStep =
  | { readonly does: 'read'; readonly key: ItemKey }
  | { readonly does: 'query'; readonly where: string }
  | { readonly does: 'update'; readonly update: GuardedUpdate }
  | { readonly does: 'remove'; readonly root: RootCondition; readonly removal: GuardedRemoval }
  | { readonly does: 'archive'; readonly objectKey: string; readonly replaces: boolean }
  | { readonly does: 'send'; readonly message: Message; readonly delaySeconds: number };

/** The table, read as ever; writes are noted as if they had been done, and are not. */
export function plannedTable(inner: TablePort, note: (step: PlanStep) => void): TablePort {
  const seen = new Set<string>();
  /** A write that leaves more to be done is decided on again, and comes by unchanged: it is noted once. */
  function once(step: PlanStep): void {
    const text = JSON.stringify(step);
    if (!seen.has(text)) note(step);
    seen.add(text);
  }
  return {
    async get(key) {
      note({ does: 'read', key });
      return inner.get(key);
    },
    async getMany(keys) {
      for (const key of keys) note({ does: 'read', key });
      return inner.getMany(keys);
    },
    async queryPartition(place, limit, from) {
      note({ does: 'query', where: `partition ${place.pk}${beginning(place.begins)}` });
      return inner.queryPartition(place, limit, from);
    },
    async queryIndex(place, limit, from) {
      note({ does: 'query', where: `index ${place.index}, partition ${place.pk}${beginning(place.begins)}` });
      return inner.queryIndex(place, limit, from);
    },
    async update(updates) {
      for (const update of updates) once({ does: 'update', update });
      return updates.map(() => 'written');
    },
    async remove(root, removals) {
      for (const removal of removals) once({ does: 'remove', root, removal });
      return removals.map(() => 'written');
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
  };
}

function beginning(begins: string | undefined): string {
  return begins === undefined ? '' : `, sort keys that begin with ${begins}`;
}
