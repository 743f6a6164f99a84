import { recordOf } from '../../src/develop/testing/table-model/model-stream.ts';
import type { ModelTable } from '../../src/develop/testing/table-model/model-table.ts';
import type { HistoryPage, HistoryPort, HistoryShard } from '../../src/operate/archive/audit/read-history.ts';

/** Records of one page. */
const pageSize = 100;

/** The model table's history as the shards of its stream: items are spread over them, and each is in order. */
export class ModelHistory implements HistoryPort {
  private readonly table: ModelTable;
  private readonly count: number;

  constructor(table: ModelTable, shards = 2) {
    this.table = table;
    this.count = shards;
  }

  async shards(): Promise<readonly HistoryShard[]> {
    return Array.from({ length: this.count }, (_, index) => ({ id: String(index), closed: true }));
  }

  async page(shard: string, from = '0'): Promise<HistoryPage> {
    const start = Number(from);
    const its = this.table.history.filter(
      ({ key }) => (key.pk.length + key.sk.length) % this.count === Number(shard),
    );
    const end = start + pageSize;
    return {
      changes: its.slice(start, end).map((change) => recordOf(change).says),
      next: end < its.length ? String(end) : undefined,
    };
  }
}
