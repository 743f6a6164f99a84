/**
 * A stub DynamoDB with the queue beside it, in a process of its own so that its CPU does not count. It answers every request
 * after 5 ms, like a table in the same region, and never changes: each round finds the same work to do.
 */
import { type Item, keyIn, keyText } from '../src/model/items/item.ts';
import { table } from '../src/table.ts';
import { startServer, taken } from './stub-server.ts';
import { work } from './works.ts';

/** What a statement cost, where a request asks for it. */
const consumed =
  '{"TableName":"copies","CapacityUnits":3,"Table":{"CapacityUnits":1},"GlobalSecondaryIndexes":{"GSI1":{"CapacityUnits":2}}}';

const { after, copies } = work;
const items = new Map(
  [after, ...copies].map((item) => [keyText(keyIn(table, item)), JSON.stringify(item)] as const),
);
const page = JSON.stringify({ Items: copies, Count: copies.length, ScannedCount: copies.length });

let requests = 0;
let writes = 0;

process.on('message', () => {
  process.send?.({ requests, writes });
  requests = 0;
  writes = 0;
});
process.on('disconnect', () => process.exit());
const { port } = await startServer(answerTo);
process.send?.({ port });

function answerTo(operation: string, body: string): string {
  requests += 1;
  switch (operation) {
    case 'Query':
      return page;
    case 'GetItem':
      return `{"Item":${items.get(keyTextOf(JSON.parse(body).Key))}}`;
    case 'BatchGetItem': {
      const [[name, { Keys }]] = Object.entries<{ Keys: Item[] }>(JSON.parse(body).RequestItems) as [
        [string, { Keys: Item[] }],
      ];
      return `{"Responses":{"${name}":[${Keys.map((key) => items.get(keyTextOf(key))).join()}]},"UnprocessedKeys":{}}`;
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
    default:
      throw new Error(`Expected a request that the benchmark makes, got ${operation}`);
  }
}

function keyTextOf(key: Item): string {
  return keyText(keyIn(table, key));
}
