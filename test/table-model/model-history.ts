import type { History } from '../../src/operate/archive/audit/read-history.ts';
import type { ModelTable } from '../../src/testing/table-model/model-table.ts';
import { recordOf } from '../../src/testing/table-model/model-worker.ts';

/** Records of one page. */
const pageSize = 100;

/** The model table's history as the shards of its stream: items are spread over them, and each is in order. */
export function modelHistory(table: ModelTable, count = 2): History {
  return async () =>
    Array.from({ length: count }, (_, shard) => {
      let end = 0;
      return {
        closed: true,
        async page() {
          const its = table.history.filter(({ key }) => (key.pk.length + key.sk.length) % count === shard);
          const start = end;
          end += pageSize;
          const changes = its.slice(start, end).map((change) => recordOf(change).says);
          return { changes, ended: end >= its.length };
        },
      };
    });
}
