import { DenormError } from '../model/basics/errors.ts';
import { attribute, type Item } from '../model/items/item.ts';
import type { DescribedTable } from '../model/items/table-differences.ts';
import type { IndexNames, KeyAttribute, KeyAttributes, TableNames } from '../model/items/table-names.ts';
import { camelCase, uniqueName } from './key-words.ts';

/** Until something names them, which a table may lack. */
const standard = { ttl: 'ExpiresAt', type: 'Type' };

/**
 * The names of a table that DynamoDB describes.
 * @throws DenormError `table.binary-key` for keys that are binary
 */
export function tableOf(described: DescribedTable, ttl = standard.ttl): TableNames {
  const taken = new Set<string>();
  const indexes = (described.GlobalSecondaryIndexes ?? []).flatMap(({ IndexName, KeySchema, Projection }) => {
    if (IndexName === undefined) return [];
    const { pk, sk } = keysOf(described, KeySchema ?? []);
    const property = uniqueName(codeName(IndexName), taken);
    const all = Projection?.ProjectionType === 'ALL' ? ({ projection: 'ALL' } as const) : {};
    return [
      [property, { name: IndexName, pk: one(pk), ...(sk.length > 0 && { sk: one(sk) }), ...all }] as const,
    ];
  });
  const { pk, sk } = keysOf(described, described.KeySchema ?? []);
  const [ofPk = '', ofSk] = [pk[0], sk[0]];
  return {
    ...{ pk: ofPk, ...(ofSk !== undefined && { sk: ofSk }), indexes: Object.fromEntries(indexes) },
    ...{ ttl, type: standard.type },
  };
}

function keysOf({ AttributeDefinitions = [] }: DescribedTable, schema: DescribedTable['KeySchema'] & {}) {
  const parts = (type: string): KeyAttribute[] =>
    schema
      .filter(({ KeyType }) => KeyType === type)
      .map(({ AttributeName: name = '' }) => {
        const found = AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
        if (found === 'S') return name;
        if (found === 'N') return { name, type: 'N' };
        throw new DenormError(
          'table.binary-key',
          `Expected key attributes to be text or numbers, found ${name} of type ${found ?? 'unknown'}: the worker has no binary keys`,
        );
      });
  return { pk: parts('HASH'), sk: parts('RANGE') };
}

function one(parts: readonly KeyAttribute[]): KeyAttributes {
  const [first = '', ...others] = parts;
  return others.length === 0 ? first : parts;
}

export interface GivenNames {
  readonly pk?: string;
  /** False: the table has no sort key. */
  readonly sk?: string | false;
  readonly ttl?: string;
}

/**
 * The names of a table of which only items are known, as an export has them: indexes by names such as `GSI1PK` and `GSI1SK`.
 * @throws DenormError `table.keys` if the items do not show the table's keys
 */
export function tableOfItems(items: readonly Item[], given: GivenNames): TableNames {
  const names = new Set(items.flatMap((item) => Object.keys(item)));
  const called = (pattern: RegExp) => [...names].find((name) => pattern.test(name));
  const pk = given.pk ?? called(/^_?pk$/i);
  const sk = given.sk === false ? undefined : (given.sk ?? called(/^_?sk$/i));
  if (items.length === 0) return { pk: pk ?? 'PK', indexes: {}, ...standard };
  const [ofPk, ofSk] = [pk, sk].map((name) => (name === undefined ? undefined : keyOf(items, name)));
  const keys = new Set(
    items.map((item) => JSON.stringify([item[pk ?? ''], sk === undefined ? '' : item[sk]])),
  );
  if (ofPk === undefined || (sk !== undefined && ofSk === undefined) || keys.size < items.length)
    throw new DenormError(
      'table.keys',
      `Expected the attributes of the table's key, which each item has, ${pk === undefined ? 'found none called PK' : `found that ${[pk, sk].filter(Boolean).join(' and ')} do not tell the items apart`}: an export does not name them, so give --pk and --sk, or --no-sk`,
    );
  const ttl =
    given.ttl ??
    [...names].find((name) => /ttl|expir/i.test(name) && items.some((item) => isSeconds(item, name)));
  return {
    ...{ pk: ofPk, ...(ofSk !== undefined && { sk: ofSk }) },
    ...{
      indexes: Object.fromEntries(indexesOf(items, names, [pk, sk])),
      ttl: ttl ?? standard.ttl,
      type: standard.type,
    },
  };
}

function keyOf(items: readonly Item[], name: string): KeyAttribute | undefined {
  const has = (type: 'S' | 'N') => items.every((item) => type in (attribute(item, name) ?? {}));
  if (has('S')) return name;
  return has('N') ? { name, type: 'N' } : undefined;
}

function isSeconds(item: Item, name: string): boolean {
  const value = attribute(item, name);
  return value !== undefined && 'N' in value && Number(value.N) > 1e9 && Number(value.N) < 1e11;
}

function indexesOf(
  items: readonly Item[],
  names: ReadonlySet<string>,
  own: readonly (string | undefined)[],
): readonly (readonly [string, IndexNames])[] {
  const keys = (name: string | undefined) =>
    name === undefined
      ? undefined
      : keyOf(
          items.filter((item) => attribute(item, name) !== undefined),
          name,
        );
  return [...names].toSorted().flatMap((name) => {
    const [, index = ''] = /^(.+?)_?pk$/i.exec(name) ?? [];
    if (index === '' || own.includes(name)) return [];
    const [pk, sk] = [
      keys(name),
      keys([...names].find((other) => /^(.+?)_?sk$/i.exec(other)?.[1] === index)),
    ];
    if (pk === undefined) return [];
    return [[codeName(index), { name: index, pk, ...(sk !== undefined && { sk }) }] as const];
  });
}

function codeName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : camelCase(name);
}
