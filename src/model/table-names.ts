/** Names of an index and of its two key attributes. */
export interface IndexNames {
  readonly name: string;
  readonly pk: string;
  readonly sk: string;
  /** The index holds whole items, so that a recheck need not read those that are right. Default: it may hold less. */
  readonly projection?: 'ALL';
}

/** The names of a table's key, index, TTL and type attributes. All keys are strings (S). */
export interface TableNames {
  readonly pk: string;
  readonly sk: string;
  readonly indexes: Readonly<Record<string, IndexNames>>;
  /** The attribute with the expiry time, in epoch seconds. */
  readonly ttl: string;
  /** The attribute that names an item's kind. Not every item has it. */
  readonly type: string;
}

/** The names of all attributes that are keys of an index. */
export function indexKeyNames(table: TableNames): ReadonlySet<string> {
  return new Set(Object.values(table.indexes).flatMap(({ pk, sk }) => [pk, sk]));
}
