/**
 * The cost of updating a copy in this process: `node bin/node-24.mjs bench/update.ts`.
 *
 * A stub server in a separate process answers every write after 5 ms, like a table in the same region. The benchmark
 * updates 1,000 copies with a document client, one by one and 50 at a time, and then through the table port.
 */
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { dynamoDbTable } from '../src/adapters/dynamodb/dynamodb-table.ts';
import type { GuardedUpdate } from '../src/model/guarded-write.ts';
import { table } from '../src/table.ts';

const copies = 1_000;
const answerAfter = 5;
const rounds = 5;

if (process.send === undefined) await measure();
else serve(process.send.bind(process));

function serve(ready: (port: unknown) => void): void {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const statements = body.split('"Statement":').length - 1;
      const result = statements === 0 ? {} : { Responses: Array(statements).fill({ TableName: 'copies' }) };
      setTimeout(
        () =>
          response
            .writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
            .end(JSON.stringify(result)),
        answerAfter,
      );
    });
  });
  server.listen(0, '127.0.0.1', () => ready(server.address()));
  process.on('disconnect', () => process.exit());
}

async function measure(): Promise<void> {
  const stub = fork(new URL(import.meta.url));
  const address = await new Promise<unknown>((resolve) => stub.once('message', resolve));
  const port =
    typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : 0;
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
  const document = DynamoDBDocumentClient.from(client);
  const through =
    (concurrency: number, name = 'Title') =>
    async () => {
      const outcomes = await dynamoDbTable({ client, tableName: 'copies', table, concurrency }).update(
        updates(name),
      );
      if (outcomes.some((outcome) => outcome !== 'written'))
        throw new Error('Expected every copy to be written');
    };
  const first = await report('document client, one by one', () => oneByOne(document, 1));
  await report('document client, 50 at once', () => oneByOne(document, 50), first);
  for (const concurrency of [1, 4, 8, 16, 32])
    await report(`table port, ${concurrency} requests at once`, through(concurrency), first);
  await report('table port, 16 at once, no statement (a name with a dot)', through(16, 'Title.en'), first);
  client.destroy();
  stub.disconnect();
}

interface Cost {
  readonly perSecond: number;
  readonly microseconds: number;
}

/** The best of several rounds, after a warm-up round. */
async function report(name: string, run: () => Promise<unknown>, first?: Cost): Promise<Cost> {
  await run();
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    await run();
    const seconds = (performance.now() - start) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    costs.push({ perSecond: copies / seconds, microseconds: (user + system) / copies });
  }
  const cost = {
    perSecond: Math.max(...costs.map((one) => one.perSecond)),
    microseconds: Math.min(...costs.map((one) => one.microseconds)),
  };
  const ratio =
    first === undefined
      ? ''
      : `  ${(cost.perSecond / first.perSecond).toFixed(1)}x as fast, ${(first.microseconds / cost.microseconds).toFixed(1)}x less CPU`;
  console.log(
    `${name.padEnd(58)}${cost.perSecond.toFixed(0).padStart(7)} copies/s${cost.microseconds.toFixed(0).padStart(6)} µs CPU each${ratio}`,
  );
  return cost;
}

function updates(name: string): GuardedUpdate[] {
  return Array.from({ length: copies }, (_, index) => ({
    key: { pk: 'acct_X#inc_Y#incpart', sk: `user_${index}` },
    set: {
      [name]: { S: 'Application error rate exceeded 1%' },
      State: { S: 'CLOSED' },
      UpdatedAt: { N: '1614194982' },
    },
    remove: ['AssignedTo'],
    expect: {
      [name]: { S: 'Application error rate' },
      State: { S: 'OPEN' },
      UpdatedAt: { N: '1614194921' },
      AssignedTo: { S: 'user_1' },
      Number: { N: '859' },
      Severity: undefined,
    },
  }));
}

async function oneByOne(document: DynamoDBDocumentClient, atOnce: number): Promise<void> {
  const limit = pLimit(atOnce);
  await Promise.all(
    Array.from({ length: copies }, (_, index) =>
      limit(() =>
        document.send(
          new UpdateCommand({
            TableName: 'copies',
            Key: { PK: 'acct_X#inc_Y#incpart', SK: `user_${index}` },
            UpdateExpression:
              'SET #title = :title, #state = :state, UpdatedAt = :updatedAt REMOVE AssignedTo',
            ConditionExpression:
              'attribute_exists(PK) AND #title = :oldTitle AND #state = :oldState AND UpdatedAt = :oldUpdatedAt AND AssignedTo = :assignedTo AND #number = :number AND attribute_not_exists(Severity)',
            ExpressionAttributeNames: { '#title': 'Title', '#state': 'State', '#number': 'Number' },
            ExpressionAttributeValues: {
              ':title': 'Application error rate exceeded 1%',
              ':state': 'CLOSED',
              ':updatedAt': 1614194982,
              ':oldTitle': 'Application error rate',
              ':oldState': 'OPEN',
              ':oldUpdatedAt': 1614194921,
              ':assignedTo': 'user_1',
              ':number': 859,
            },
          }),
        ),
      ),
    ),
  );
}
