import { streamOf } from '../../operate/adapters/dynamodb/describe-table.ts';
import { streamHistory } from '../../operate/adapters/dynamodb/stream-port.ts';
import type { History } from '../../operate/archive/audit/read-history.ts';
import type { RulesInForce } from './rules-in-force.ts';
import type { TableServices } from './services.ts';

/** What the table's stream still holds. A local server does not mark expiries. */
export async function tableHistory(
  { connection, tableName, stack, isLocal }: TableServices,
  { registry, evidence }: Pick<RulesInForce, 'registry' | 'evidence'>,
): Promise<History> {
  return streamHistory({
    client: connection.streams,
    streamArn: await streamOf(connection.dynamoDb, tableName),
    table: registry.table,
    evidence: { globalTableReplica: evidence.globalTableReplica || (isLocal && stack === undefined) },
  });
}
