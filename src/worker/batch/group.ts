import type { Change, Unreadable } from '../../model/change.ts';
import { keyText } from '../../model/item.ts';
import type { DeadLetter } from '../../model/message.ts';

/** A stream record: an id for the response, and the change in it. */
export interface StreamRecord {
  readonly id: string;
  readonly says: Change | Unreadable;
}

/** The changes of one item in a batch, and the ids of their records. */
export interface Group {
  readonly ids: readonly string[];
  readonly changes: readonly Change[];
  /** When the earliest change was made, in epoch milliseconds. */
  readonly changedAt: number | undefined;
}

/** Groups the records of a batch by item, and separates unreadable records. */
export function groupByItem(records: readonly StreamRecord[]): {
  readonly groups: readonly Group[];
  readonly unreadable: readonly { readonly id: string; readonly says: Unreadable }[];
} {
  const unreadable: { id: string; says: Unreadable }[] = [];
  const byItem = new Map<string, { ids: string[]; changes: Change[] }>();
  for (const { id, says } of records) {
    if ('unreadable' in says) {
      unreadable.push({ id, says });
      continue;
    }
    const item = keyText(says.key);
    const group = byItem.get(item) ?? { ids: [], changes: [] };
    group.ids.push(id);
    group.changes.push(says);
    byItem.set(item, group);
  }
  return {
    groups: [...byItem.values()].map((group) => ({ ...group, changedAt: earliest(group.changes) })),
    unreadable,
  };
}

/** When the earliest of these changes was made, in epoch milliseconds. */
export function earliest(changes: readonly { readonly at: number | undefined }[]): number | undefined {
  const times = changes.flatMap(({ at }) => (at === undefined ? [] : [at]));
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
}

/** The dead letter of an unreadable record: its id and the reason, without its content. */
export function unreadableAsDeadLetter({ unreadable, record }: Unreadable): DeadLetter {
  return { code: 'record.unreadable', reason: unreadable, record };
}
