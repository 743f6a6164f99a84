import { checkItems } from '../../develop/check/check-items.ts';
import type { Finding } from '../../develop/check/finding.ts';
import type { Item } from '../../model/item.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { type RulesOptions, rulesInForce } from '../options/rules-in-force.ts';
import { describeWhere, openWhere, type WhereOptions } from '../options/where.ts';
import { keyJson } from '../output/text.ts';

/** A sample has a page of each of these segments: items from all over the table. */
const segments = 8;

export interface Sampled {
  readonly tableName: string;
  readonly items: number;
  readonly findings: readonly Finding[];
}

/** Compares a few hundred items of the table that the options name with the rules in force. */
export async function sampledItems(options: WhereOptions & RulesOptions, most: number): Promise<Sampled> {
  const where = await openWhere(options);
  try {
    const { registry } = await rulesInForce(where, options);
    await describeWhere(where, registry.table);
    const { tableName, connection } = where;
    const scan = dynamoDbScan({ client: connection.dynamoDb, tableName, table: registry.table });
    const items: Item[] = [];
    for (let index = 0; index < segments && items.length < most; index += 1)
      items.push(...(await scan.scan({ index, of: segments }, Math.ceil(most / segments))).entries);
    return { tableName, items: items.length, findings: checkItems(registry, { items, keyText: keyJson }) };
  } finally {
    where.close();
  }
}
