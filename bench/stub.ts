/**
 * A stub DynamoDB with the queue beside it, in a process of its own so that its CPU does not count. It answers every request
 * after 5 ms, like a table in the same region, and never changes: each round finds the same work to do.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { type Item, keyIn, keyText } from '../src/model/item.ts';
import { table } from '../src/table.ts';
import { works } from './works.ts';

const answerAfter = 5;

/** What a statement cost, where a request asks for it. */
const consumed =
  '{"TableName":"copies","CapacityUnits":3,"Table":{"CapacityUnits":1},"GlobalSecondaryIndexes":{"GSI1":{"CapacityUnits":2}}}';

/** What the stub has counted since it was last asked. */
export interface Counts {
  readonly requests: number;
  readonly writes: number;
}

const fans = Object.values(works).flatMap(({ found, fans }) => fans.map((fan) => ({ found, ...fan })));
const items = new Map(
  fans.flatMap(({ after, copies }) =>
    [after, ...copies].map((item) => [keyText(keyIn(table, item)), JSON.stringify(item)] as const),
  ),
);
const pages = new Map(fans.map(({ found, copies }) => [partitionOf(found, copies), page(copies)] as const));
const keyPages = new Map(
  fans.map(({ found, copies }) => [partitionOf(found, copies), page(copies.map(keyAttributes))] as const),
);

let requests = 0;
let writes = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    requests += 1;
    const answer = answerTo(String(request.headers['x-amz-target']), Buffer.concat(chunks).toString());
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(answer);
    }, answerAfter);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
});
process.on('message', () => {
  process.send?.({ requests, writes } satisfies Counts);
  requests = 0;
  writes = 0;
});
process.on('disconnect', () => process.exit());

function answerTo(target: string, body: string): string {
  switch (target.split('.')[1]) {
    case 'Query':
      return query(JSON.parse(body));
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
      return JSON.stringify({ Successful: JSON.parse(body).Entries.map(sent), Failed: [] });
    default:
      throw new Error(`Expected a request that the benchmark makes, got ${target}`);
  }
}

function query({
  ExpressionAttributeValues,
  ProjectionExpression,
}: {
  ExpressionAttributeValues: Readonly<Record<string, { S: string }>>;
  ProjectionExpression?: string;
}): string {
  const partition = ExpressionAttributeValues[':pk']?.S ?? '';
  return (ProjectionExpression === undefined ? pages : keyPages).get(partition) ?? page([]);
}

function partitionOf(found: 'partition' | 'index', [first = {}]: readonly Item[]): string {
  const partition = first[found === 'index' ? table.indexes.GSI1.pk : table.pk];
  return partition !== undefined && 'S' in partition ? partition.S : '';
}

function keyAttributes(item: Item): Item {
  const { pk, sk } = keyIn(table, item);
  return { [table.pk]: { S: pk }, [table.sk]: { S: sk } };
}

function keyTextOf(key: Item): string {
  return keyText(keyIn(table, key));
}

function page(found: readonly Item[]): string {
  return JSON.stringify({ Items: found, Count: found.length, ScannedCount: found.length });
}

function sent({ Id, MessageBody }: { Id: string; MessageBody: string }) {
  return { Id, MessageId: Id, MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') };
}
