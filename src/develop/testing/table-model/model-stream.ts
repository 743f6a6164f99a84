import type { StreamRecord } from '../../../worker/batch/group.ts';
import type { Committed, ModelTable } from './model-table.ts';

/** Its time is rounded to the second, as DynamoDB rounds it. */
export function recordOf({ sequence, key, before, after, by, at }: Committed): StreamRecord {
  return {
    id: String(sequence),
    says: {
      key,
      before,
      after,
      sequence,
      expired: by === 'service' && after === undefined,
      at: Math.floor(at / 1000) * 1000,
    },
  };
}

export class ModelStream {
  private readonly table: ModelTable;
  private position = 0;

  constructor(table: ModelTable) {
    this.table = table;
  }

  take(most = Number.POSITIVE_INFINITY): StreamRecord[] {
    const taken = this.table.history.slice(this.position, this.position + most);
    this.position += taken.length;
    return taken.map(recordOf);
  }
}
