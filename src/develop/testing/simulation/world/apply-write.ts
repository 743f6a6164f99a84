import type { Item, ItemKey } from '../../../../model/item.ts';
import { isRefused } from '../../table-model/impossible-item.ts';
import type { ModelTable } from '../../table-model/model-table.ts';
import type { Write } from './step.ts';

/** An application's write. What DynamoDB would refuse has no effect. */
export function applyWrite(table: ModelTable, write: Write): void {
  isRefused(() => {
    if ('put' in write) table.put(write.put, write.on);
    else if ('delete' in write) table.delete(write.delete);
    else table.update(write.update, write, write.on);
  });
}

/** The service's delete of an item. @returns false where its time has not passed, in epoch seconds */
export function applyExpiry(table: ModelTable, key: ItemKey, now: number): boolean {
  if (!isDue(table, table.read(key), now)) return false;
  table.expire(key);
  return true;
}

/** Whether the time of an item has passed, in epoch seconds. */
export function isDue({ names }: ModelTable, item: Item | undefined, now: number): boolean {
  const expiry = item?.[names.ttl];
  return expiry !== undefined && 'N' in expiry && Number(expiry.N) <= now;
}
