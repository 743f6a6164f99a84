/** Names of an index and of its two key attributes. */
export interface IndexNames {
  readonly name: string;
  readonly pk: string;
  readonly sk: string;
}

/** The attribute names that give a table its shape. All keys are strings (S). */
export interface TableNames {
  readonly pk: string;
  readonly sk: string;
  readonly indexes: Readonly<Record<string, IndexNames>>;
  /** The attribute that carries the expiry time, in epoch seconds. */
  readonly ttl: string;
  /** The attribute that names an item's kind, on the items that have one. */
  readonly type: string;
}

/** The attribute names that are a key of some index. */
export function indexKeyNames(table: TableNames): ReadonlySet<string> {
  return new Set(Object.values(table.indexes).flatMap(({ pk, sk }) => [pk, sk]));
}
