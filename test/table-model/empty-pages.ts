import type { KeyedItem } from '../../src/model/items/item.ts';
import type { Cursor } from '../../src/model/work/message.ts';
import type { Page, ScanPort, TablePort } from '../../src/worker/ports.ts';

const passed = 'past the empty page';

/** An empty page that is not the last, then the page itself. */
async function emptyFirst<Paged extends Page<KeyedItem>>(
  from: Cursor | undefined,
  read: (from: Cursor | undefined) => Promise<Paged>,
) {
  if (from?.[passed] === undefined) return { units: 0.5, entries: [], next: { ...from, [passed]: 'yes' } };
  const { [passed]: _, ...cursor } = from;
  return read(Object.keys(cursor).length === 0 ? undefined : cursor);
}

/**
 * A scan that answers an empty page before each page: as DynamoDB may wherever it has looked far and found nothing.
 * Source: AWS, "Paginating table query results".
 */
export function sparseScan(scan: ScanPort): ScanPort {
  return {
    scan: (segment, limit, from) => emptyFirst(from, (cursor) => scan.scan(segment, limit, cursor)),
  };
}

/** The same of a table's queries. Whatever else it is asked, it does. */
export function sparseQueries(table: TablePort): TablePort {
  return {
    get: (key) => table.get(key),
    getMany: (keys) => table.getMany(keys),
    update: (updates) => table.update(updates),
    transact: (root, actions) => table.transact(root, actions),
    query: (location, limit, from, whole) =>
      emptyFirst(from, (cursor) => table.query(location, limit, cursor, whole)),
  };
}
