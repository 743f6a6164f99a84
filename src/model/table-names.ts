export interface IndexNames {
  readonly name: string;
  readonly pk: string;
  readonly sk: string;
  /** The index holds whole items, so that a recheck need not read those that are right. Default: it may hold less. */
  readonly projection?: 'ALL';
}

/** All keys are strings (S). */
export interface TableNames {
  readonly pk: string;
  readonly sk: string;
  readonly indexes: Readonly<Record<string, IndexNames>>;
  /** In epoch seconds. */
  readonly ttl: string;
  /** Names an item's kind. Not every item has it. */
  readonly type: string;
}

export function indexKeyNames(table: TableNames): ReadonlySet<string> {
  return new Set(Object.values(table.indexes).flatMap(({ pk, sk }) => [pk, sk]));
}
