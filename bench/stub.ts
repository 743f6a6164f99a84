/**
 * A stub DynamoDB with the queue beside it, in a process of its own so that its CPU does not count. It never changes: each
 * round finds the same work to do.
 *
 *   stub.ts <milliseconds>   after which it answers; 5 are those of a table in the same region
 */
import { type Item, keyIn, keyText } from '../src/model/items/item.ts';
import { table } from '../src/table.ts';
import { startServer, taken } from './stub-server.ts';
import { tableName } from './ways/way.ts';
import { type Fan, firstWork, segments, work } from './works.ts';

/** What a statement cost, where a request asks for it. */
const consumed =
  '{"TableName":"copies","CapacityUnits":3,"Table":{"CapacityUnits":1},"GlobalSecondaryIndexes":{"GSI1":{"CapacityUnits":2}}}';

const scanned = [...segments.large, ...segments.small];
const fans = [work, firstWork, ...scanned.flat()];
const items = new Map(
  fans.flatMap(itemsOf).map((item) => [keyText(keyIn(table, item)), JSON.stringify(item)]),
);
const copiesAt = new Map(
  fans.map(({ copies }) => [copies[0] && keyIn(table, copies[0]).pk, pageOf(copies)] as const),
);
const pages = scanned.map((some) => pageOf(some.flatMap(itemsOf)));

let requests = 0;
let writes = 0;

process.on('message', () => {
  process.send?.({ requests, writes });
  requests = 0;
  writes = 0;
});
process.on('disconnect', () => process.exit());
const { port } = await startServer(answerTo, Number(process.argv[2]));
process.send?.({ port });

function itemsOf({ after, copies }: Fan): readonly Item[] {
  return [after, ...copies];
}

function pageOf(entries: readonly Item[]): string {
  return JSON.stringify({ Items: entries, Count: entries.length, ScannedCount: entries.length });
}

function answerTo(operation: string, body: string): string | undefined {
  requests += 1;
  switch (operation) {
    case 'Query':
      return copiesAt.get(JSON.parse(body).ExpressionAttributeValues[':pk'].S) ?? pageOf([]);
    case 'Scan': {
      const { TableName, Segment, TotalSegments } = JSON.parse(body);
      if (TableName !== tableName) return pageOf([]);
      // The segments of the small fans come after those of the large ones.
      return (
        pages[TotalSegments === segments.large.length ? Segment : segments.large.length + Segment] ??
        pageOf([])
      );
    }
    case 'GetItem': {
      const item = items.get(keyTextOf(JSON.parse(body).Key));
      return item === undefined ? '{}' : `{"Item":${item}}`;
    }
    case 'BatchGetItem': {
      const [[name, { Keys }]] = Object.entries<{ Keys: Item[] }>(JSON.parse(body).RequestItems) as [
        [string, { Keys: Item[] }],
      ];
      return `{"Responses":{"${name}":[${Keys.flatMap((key) => items.get(keyTextOf(key)) ?? []).join()}]},"UnprocessedKeys":{}}`;
    }
    case 'BatchExecuteStatement': {
      const statements = body.split('"Statement":').length - 1;
      writes += statements;
      const capacity = body.includes('"ReturnConsumedCapacity":"INDEXES"')
        ? Array(statements).fill(consumed)
        : [];
      return `{"Responses":[${Array(statements).fill('{"TableName":"copies"}').join()}],"ConsumedCapacity":[${capacity.join()}]}`;
    }
    case 'UpdateItem':
      writes += 1;
      return body.includes('ALL_NEW') ? `{"Attributes":${items.get(keyTextOf(JSON.parse(body).Key))}}` : '{}';
    case 'SendMessageBatch':
      return JSON.stringify(taken(JSON.parse(body).Entries));
    case 'GetQueueAttributes':
      return '{"Attributes":{"ApproximateNumberOfMessages":"0"}}';
    default:
      return undefined;
  }
}

function keyTextOf(key: Item): string {
  return keyText(keyIn(table, key));
}
