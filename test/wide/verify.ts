// A search for drift in the whole table, in a process of its own: says at the end what it found and what memory it took.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { loopbackClientSettings } from '../../src/develop/dev/loopback.ts';
import { withoutLogger } from '../../src/worker/adapters/client-settings.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../../src/worker/adapters/dynamodb/scan-pages.ts';
import { systemClock } from '../../src/worker/adapters/system-clock.ts';
import { unlimited } from '../../src/worker/scan/budget.ts';
import { wholeTable } from '../../src/worker/scan/scan-table.ts';
import { driftIn, verifyFrom } from '../../src/worker/verify/verify-state.ts';
import { verifyTable } from '../../src/worker/verify/verify-table.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { argumentsOf, tell } from './process.ts';

const [endpoint, tableName] = argumentsOf('endpoint', 'table');
const registry = loadRules({ statusShards: 1 });
const client = withoutLogger(new DynamoDBClient(loopbackClientSettings(endpoint)));
const access = { client, tableName, table: registry.table };
const state = await verifyTable(
  {
    ...{
      registry,
      aggregates: [],
      rules: registry.rules,
      table: dynamoDbTable(access),
      scan: dynamoDbScan(access),
    },
    ...{ clock: systemClock, budget: unlimited(systemClock), concurrency: 4, grace: 1_000 },
    orphans: 'unexplained',
    stop: () => false,
    onDrift: async () => {},
  },
  verifyFrom(wholeTable(4), registry.rules),
);
client.destroy();
tell({ ended: { items: state.items, drift: driftIn(state) } });
process.disconnect();
