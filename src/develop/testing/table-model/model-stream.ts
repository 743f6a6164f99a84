import type { StreamRecord } from '../../../worker/batch/group.ts';
import type { Committed, ModelTable } from './model-table.ts';

/** The stream record of a change. Its time is rounded to the second, as DynamoDB rounds it. */
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

/** A reader of the table's stream, from its beginning, in the order of the changes. */
export class ModelStream {
  private readonly table: ModelTable;
  private position = 0;

  constructor(table: ModelTable) {
    this.table = table;
  }

  /** The next records, at most so many; all there are by default. */
  take(most = Number.POSITIVE_INFINITY): StreamRecord[] {
    const taken = this.table.history.slice(this.position, this.position + most);
    this.position += taken.length;
    return taken.map(recordOf);
  }
}
