import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkedExport, itemsOfFile } from '../../dev/table/read-export.ts';
import { type Item, type ItemKey, type KeyedItem, keyed, keyOf, keyText } from '../../model/items/item.ts';
import { isOwnItem } from '../../model/items/own-items.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import type { ConnectionOptions } from '../../operate/adapters/connection.ts';
import { describe, expiryAttribute } from '../../operate/adapters/dynamodb/describe-table.ts';
import { type GivenNames, tableOf, tableOfItems } from '../../pull/table.ts';
import { dynamoDbReads } from '../../worker/adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { namedConnection } from '../environment.ts';
import { openConnection } from '../options/services.ts';
import { sampleItems } from '../sample-items.ts';

/** Whether a name is of the folder of an export, and not of a table. */
export function isExport(name: string): boolean {
  return existsSync(join(name, 'manifest-summary.json')) || /[\\/]/.test(name);
}

/** Items of a table, or of its export, without the worker's own. */
export interface Sample {
  readonly names: TableNames;
  readonly items: readonly Item[];
  /** Finds items by their keys; undefined if the sample is the whole table. */
  readonly find: ((keys: readonly ItemKey[]) => Promise<readonly KeyedItem[]>) | undefined;
}

interface SampleOptions extends ConnectionOptions, GivenNames {
  readonly table?: string;
  readonly export?: string;
  readonly items: number;
}

/** Of a table, needs `dynamodb:DescribeTable` and `DescribeTimeToLive` and, without an export, `Scan` and `BatchGetItem`. */
export async function withSample(
  options: SampleOptions,
  use: (sample: Sample) => Promise<void>,
): Promise<void> {
  const work = ({ items, ...sample }: Sample) =>
    use({ ...sample, items: items.filter((item) => !isOwn(sample.names, item)) });
  const { table: tableName, export: folder, items: wanted, endpoint, region, profile } = options;
  if (tableName === undefined) return await work(await sampleOfExport(folder ?? '', options));
  const named = { endpoint, region, profile };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  const connection = openConnection({ ...namedConnection(), ...given });
  try {
    const client = connection.dynamoDb;
    const described = await describe(client, tableName);
    const names = tableOf(described, await expiryAttribute(client, tableName));
    if (folder !== undefined) return await work(await sampleOfExport(folder, options, names));
    const access = { client, tableName, table: names };
    const ofAbout = described.ItemCount ?? 0;
    const items = await sampleItems(dynamoDbScan(access), { items: wanted, ofAbout });
    const { getMany } = dynamoDbReads(access);
    return await work({
      ...{ names, items: items.map(({ item }) => item) },
      find: items.length < wanted ? undefined : (keys) => getMany(keys),
    });
  } finally {
    connection.close();
  }
}

function isOwn(names: TableNames, item: Item): boolean {
  const key = keyOf(names, item);
  return key !== undefined && isOwnItem(names, key);
}

/** The beginning of each file of an export, which hold partitions at random. */
async function sampleOfExport(
  folder: string,
  { items: wanted, ...given }: SampleOptions,
  described?: TableNames,
): Promise<Sample> {
  const { files, items: all } = await checkedExport(folder, new AbortController().signal);
  const items: Item[] = [];
  for (const [index, file] of files.entries()) {
    const ofFile = Math.ceil((wanted - items.length) / (files.length - index));
    const end = items.length + ofFile;
    for await (const item of itemsOfFile(file)) {
      if (items.length >= end) break;
      items.push(item);
    }
  }
  const names = described ?? tableOfItems(items, given);
  const find = async (keys: readonly ItemKey[]) => {
    const wantedKeys = new Set(keys.map(keyText));
    const found: KeyedItem[] = [];
    for (const file of files)
      for await (const item of itemsOfFile(file)) {
        const one = keyed(names, item);
        if (wantedKeys.has(keyText(one.key))) found.push(one);
      }
    return found;
  };
  return { names, items, find: items.length === all ? undefined : find };
}
