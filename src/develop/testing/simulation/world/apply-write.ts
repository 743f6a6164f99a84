import type { ItemKey } from '../../../../model/item.ts';
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
  const expiry = table.read(key)?.[table.names.ttl];
  if (expiry === undefined || !('N' in expiry) || Number(expiry.N) > now) return false;
  table.expire(key);
  return true;
}
