import type { InvalidItemError } from '../../model/basics/errors.ts';
import type { Change, Unreadable } from '../../model/items/change.ts';
import { type ItemKey, keyText, sameKey } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { heartbeatKey } from '../../model/work/heartbeat.ts';
import type { DeadLetter } from '../../model/work/message.ts';

export interface StreamRecord {
  readonly id: string;
  readonly parsed: Change | Unreadable;
}

export interface Group {
  readonly key: ItemKey;
  readonly ids: readonly string[];
  readonly changes: readonly Change[];
  /** When the earliest change was made, in epoch milliseconds. */
  readonly changedAt: number | undefined;
}

export interface ByItem {
  /** Without that of the heartbeat. */
  readonly groups: readonly Group[];
  readonly beats: Group | undefined;
  readonly unreadable: readonly { readonly id: string; readonly parsed: Unreadable }[];
}

export function groupByItem(table: TableNames, records: readonly StreamRecord[]): ByItem {
  const unreadable: { id: string; parsed: Unreadable }[] = [];
  const byItem = new Map<string, { key: ItemKey; ids: string[]; changes: Change[] }>();
  for (const { id, parsed } of records) {
    if ('unreadable' in parsed) {
      unreadable.push({ id, parsed });
      continue;
    }
    const item = keyText(parsed.key);
    const group = byItem.get(item) ?? { key: parsed.key, ids: [], changes: [] };
    group.ids.push(id);
    group.changes.push(parsed);
    byItem.set(item, group);
  }
  const all = [...byItem.values()].map((group) => ({ ...group, changedAt: earliest(group.changes) }));
  const heartbeat = heartbeatKey(table);
  const beats = heartbeat && all.find(({ key }) => sameKey(key, heartbeat));
  return { groups: all.filter((group) => group !== beats), beats, unreadable };
}

/** When the first of them was made, in epoch milliseconds. */
export function earliest(changes: readonly { readonly at: number | undefined }[]): number | undefined {
  const times = changes.flatMap(({ at }) => (at === undefined ? [] : [at]));
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
}

/** The dead letter of an item on which a rule's function fails. */
export function faultAsDeadLetter({ key }: Group, { code, message, rule }: InvalidItemError): DeadLetter {
  return { code, reason: message, about: { rule, key } };
}

/** The dead letter of a record that cannot be read, without its content. */
export function unreadableAsDeadLetter({ unreadable, record }: Unreadable): DeadLetter {
  return { code: 'record.unreadable', reason: unreadable, record };
}
