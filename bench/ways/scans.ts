/** What reads a whole table: `denorm verify` and `denorm backfill`, and beside each its requests alone. */
import { DynamoDBClient, QueryCommand, type QueryCommandInput, ScanCommand } from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';
import config from '../../denorm.config.ts';
import { keyIn } from '../../src/model/items/item.ts';
import { keyParts } from '../../src/model/items/table-names.ts';
import { backfill } from '../../src/operate/drift/backfill.ts';
import { Propagations } from '../../src/operate/drift/repair.ts';
import { coalescingTable } from '../../src/worker/adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../../src/worker/adapters/dynamodb/read-pages.ts';
import { systemClock } from '../../src/worker/adapters/system-clock.ts';
import { Budget } from '../../src/worker/budget.ts';
import { silentTelemetry } from '../../src/worker/ports.ts';
import { countedScan, meteredTable } from '../../src/worker/scan/metered-table.ts';
import { wholeTable } from '../../src/worker/scan/scan-table.ts';
import { verifyFrom } from '../../src/worker/verify/verify-state.ts';
import { verifyTable } from '../../src/worker/verify/verify-table.ts';
import { type Fan, segments } from '../works.ts';
import { clientAt } from './recorded.ts';
import { connection, tableName, type Way } from './way.ts';

const registry = config.registry({});
const { table, rules, aggregates } = registry;
const atOnce = 4;
/** As many as a backfill has. */
const propagationsAtOnce = 16;

/** By a client as the SDK makes it. */
export const scanAlone: Way = async (endpoint) => {
  const client = new DynamoDBClient({ ...connection, endpoint });
  return {
    units: itemsIn(segments.large),
    writes: 0,
    run: () =>
      inSegments(segments.large, (Segment, TotalSegments) =>
        client.send(new ScanCommand({ TableName: tableName, Segment, TotalSegments })),
      ),
  };
};

export const verify: Way = async (endpoint) => {
  const search = searchAt(endpoint);
  const selected = { rules, aggregates };
  return {
    units: itemsIn(segments.large),
    writes: 0,
    run: async () => {
      const found = await verifyTable(
        { ...search, passes: [selected], orphans: 'unexplained', graceMs: 5000, onDrift: unexpected },
        verifyFrom(wholeTable(segments.large.length), selected),
      );
      expectItems(found.items, segments.large);
    },
  };
};

/** The scan, and a query for the copies of each root. */
export const queriesAlone: Way = async (endpoint) => {
  const client = clientAt(endpoint);
  const limit = pLimit(propagationsAtOnce);
  return {
    units: segments.small.flat().length,
    writes: 0,
    run: () =>
      inSegments(segments.small, async (Segment, TotalSegments) => {
        await client.send(new ScanCommand({ TableName: tableName, Segment, TotalSegments }));
        await Promise.all(
          (segments.small[Segment] ?? []).map((fan) =>
            limit(() => client.send(new QueryCommand(queryOf(fan)))),
          ),
        );
      }),
  };
};

export const backfillOfRight: Way = async (endpoint) => {
  const [rule] = rules;
  if (rule?.name !== 'incident-on-participations') throw new Error('Expected the rule of incidents first');
  const search = searchAt(endpoint);
  const propagations = new Propagations({
    registry,
    table: search.table,
    clock: systemClock,
    telemetry: silentTelemetry,
    stop: () => false,
    concurrency: propagationsAtOnce,
    allowRemove: false,
  });
  const roots = segments.small.flat().length;
  return {
    units: roots,
    writes: 0,
    run: async () => {
      let propagated = 0;
      const onOutcome = (outcome: { readonly propagations: number }) => {
        propagated += outcome.propagations;
      };
      const state = await backfill(
        { ...search, writer: rule, propagations, onOutcome },
        verifyFrom(wholeTable(segments.small.length)),
      );
      expectItems(state.items, segments.small);
      if (propagated !== roots) throw new Error(`Expected ${roots} propagations, found ${propagated}`);
    },
  };
};

function searchAt(endpoint: string) {
  const client = clientAt(endpoint);
  const budget = new Budget(Number.POSITIVE_INFINITY, systemClock);
  const stop = () => false;
  const { port, spent } = meteredTable(dynamoDbTable({ client, tableName, table }), {
    reads: budget,
    writes: budget,
    stop,
  });
  return {
    registry,
    table: coalescingTable(port),
    scan: countedScan(dynamoDbScan({ client, tableName, table }), spent),
    budget,
    concurrency: atOnce,
    clock: systemClock,
    stop,
  };
}

function inSegments(
  some: readonly unknown[],
  visit: (segment: number, of: number) => Promise<unknown>,
): Promise<unknown> {
  const limit = pLimit(atOnce);
  return Promise.all(some.map((_, segment) => limit(() => visit(segment, some.length))));
}

function queryOf({ copies: [copy = {}] }: Fan): QueryCommandInput {
  return {
    TableName: tableName,
    KeyConditionExpression: '#pk = :pk',
    ConsistentRead: true,
    ReturnConsumedCapacity: 'TOTAL',
    ExpressionAttributeNames: { '#pk': keyParts(table).names[0] ?? '' },
    ExpressionAttributeValues: { ':pk': { S: keyIn(table, copy).pk } },
  };
}

function itemsIn(some: readonly (readonly Fan[])[]): number {
  return some.flat().reduce((sum, { copies }) => sum + 1 + copies.length, 0);
}

function expectItems(found: number, some: readonly (readonly Fan[])[]): void {
  if (found !== itemsIn(some)) throw new Error(`Expected ${itemsIn(some)} items, found ${found}`);
}

async function unexpected(): Promise<never> {
  throw new Error('Expected every copy to be right');
}
