import type { ItemKey } from '../../model/item.ts';
import type { Cursor } from '../../model/message.ts';
import type { IndexNames } from '../../model/table-names.ts';
import type { Page } from '../../ports.ts';

/** A page of keys, and what it cost. */
export interface KeyPage extends Page<ItemKey> {
  /** Read units that the page cost: what DynamoDB says, or an estimate where it does not say. */
  readonly units: number;
}

/** A partition of an index from its beginning up to a sort key. Eventually consistent. Throws as the table's port does. */
export interface RangePort {
  /** One page of the entries whose sort keys are less than `until`, in their order, keys only, at most `limit`. */
  before(keyRange: IndexKeyRange, limit: number, from?: Cursor): Promise<KeyPage>;
}

export interface IndexKeyRange {
  readonly index: IndexNames;
  readonly pk: string;
  readonly until: string;
}
