/** A key attribute of type S, or its name and type. Other types of DynamoDB's keys are refused. */
export type KeyAttribute = string | { readonly name: string; readonly type: 'S' | 'N' };

/** One attribute, or two to four in their order. Only an index has several. Source: AWS, "Multi-attribute keys pattern". */
export type KeyAttributes = KeyAttribute | readonly KeyAttribute[];

export interface IndexNames {
  readonly name: string;
  readonly pk: KeyAttributes;
  /** Default: the index has no sort key. */
  readonly sk?: KeyAttributes;
  /** The index holds whole items, so that a recheck need not read those that are right. Default: it may hold less. */
  readonly projection?: 'ALL';
}

export interface TableNames {
  readonly pk: KeyAttribute;
  /** Default: the table has no sort key. */
  readonly sk?: KeyAttribute;
  readonly indexes: Readonly<Record<string, IndexNames>>;
  /** The attribute that has an item's expiry in epoch seconds. */
  readonly ttl: string;
  /** Names an item's kind. Not every item has it. */
  readonly type: string;
}

export type KeyNames = Pick<IndexNames, 'pk' | 'sk'>;

export interface KeyPart {
  readonly name: string;
  readonly type: 'S' | 'N';
  /** Of text, in UTF-8 bytes. Source: AWS, "Quotas", partition and sort keys. */
  readonly longest: number;
}

/** The longest partition key and sort key that DynamoDB accepts, in UTF-8 bytes. Source: AWS, "Quotas". */
export const maxPkBytes = 2048;
export const maxSkBytes = 1024;

interface KeyParts {
  readonly pk: readonly KeyPart[];
  readonly sk: readonly KeyPart[];
  /** Those of the partition key first. */
  readonly all: readonly KeyPart[];
  readonly names: readonly string[];
}

const known = new WeakMap<KeyNames, KeyParts>();

/** The key attributes of a table or of an index, with their types. */
export function keyParts(keys: KeyNames): KeyParts {
  const before = known.get(keys);
  if (before !== undefined) return before;
  const pk = partsOf(keys.pk, maxPkBytes);
  const sk = keys.sk === undefined ? [] : partsOf(keys.sk, maxSkBytes);
  const all = [...pk, ...sk];
  const parts = { pk, sk, all, names: all.map(({ name }) => name) };
  known.set(keys, parts);
  return parts;
}

function partsOf(attributes: KeyAttributes, longest: number): KeyPart[] {
  return [attributes]
    .flat()
    .map((one) => (typeof one === 'string' ? { name: one, type: 'S', longest } : { ...one, longest }));
}

const knownIndexes = new WeakMap<TableNames, ReadonlyMap<string, KeyPart>>();

/** The attributes of which the keys of indexes consist, by their names; of one in several keys, the narrowest. */
export function indexParts(table: TableNames): ReadonlyMap<string, KeyPart> {
  const before = knownIndexes.get(table);
  if (before !== undefined) return before;
  const all = Object.values(table.indexes).flatMap((index) => keyParts(index).all);
  const parts = new Map(all.sort((a, b) => b.longest - a.longest).map((part) => [part.name, part]));
  knownIndexes.set(table, parts);
  return parts;
}

/** The name of the partition key of a table: every item has it. */
export function pkName(table: KeyNames): string {
  return keyParts(table).names[0] ?? '';
}

export function isKeyName(table: KeyNames, attribute: string): boolean {
  return keyParts(table).names.includes(attribute);
}
