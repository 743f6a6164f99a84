import type { Change, Unreadable } from '../../model/change.ts';
import { keyText } from '../../model/item.ts';
import type { DeadLetter } from '../../model/message.ts';

export interface StreamRecord {
  readonly id: string;
  readonly says: Change | Unreadable;
}

export interface Group {
  readonly ids: readonly string[];
  readonly changes: readonly Change[];
  /** In epoch milliseconds. */
  readonly changedAt: number | undefined;
}

export function groupByItem(records: readonly StreamRecord[]): {
  readonly groups: readonly Group[];
  readonly unreadable: readonly { readonly id: string; readonly says: Unreadable }[];
} {
  const unreadable = records.flatMap(({ id, says }) => ('unreadable' in says ? [{ id, says }] : []));
  const readable = records.flatMap(({ id, says }) => ('unreadable' in says ? [] : [{ id, says }]));
  const byItem = Map.groupBy(readable, ({ says }) => keyText(says.key));
  const groups = [...byItem.values()].map((own) => {
    const changes = own.map(({ says }) => says);
    return { ids: own.map(({ id }) => id), changes, changedAt: earliest(changes) };
  });
  return { groups, unreadable };
}

/** In epoch milliseconds. */
export function earliest(changes: readonly { readonly at: number | undefined }[]): number | undefined {
  const times = changes.flatMap(({ at }) => (at === undefined ? [] : [at]));
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
}

/** Without the record's content. */
export function unreadableAsDeadLetter({ unreadable, record }: Unreadable): DeadLetter {
  return { code: 'record.unreadable', reason: unreadable, record };
}
