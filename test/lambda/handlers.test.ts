import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { propagationEnvironment } from '../../src/environment.ts';
import { propagationContext } from '../../src/lambda/propagation-context.ts';
import { sweepHandler } from '../../src/lambda/sweep.ts';
import { verifyHandler } from '../../src/lambda/verify.ts';
import { silentTelemetry } from '../../src/propagation/silent-telemetry.ts';
import config from '../application/denorm.config.ts';
import {
  type LoopbackServer,
  loopbackServer,
  type ServerAnswer,
  type ServerRequest,
} from '../suites/loopback-server.ts';

const answerSchema = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });
const eventSchema = z.object({ Records: z.array(z.record(z.string(), z.unknown())).min(1) });
const entriesSchema = z.object({ Entries: z.array(z.object({ Id: z.string() })) });

const requests: ServerRequest[] = [];
/** What every read of the table finds. */
let stored: object[] = [];

/** A table that holds what is stored, a bucket that holds nothing, and queues that refuse each message. */
function answer(request: ServerRequest): ServerAnswer {
  const { method, headers, body } = request;
  requests.push(request);
  const target = String(headers['x-amz-target'] ?? '');
  if (target.startsWith('AmazonSQS.')) {
    const { Entries } = entriesSchema.parse(JSON.parse(body.toString()));
    const Failed = Entries.map(({ Id }) => ({ Id, Code: 'InvalidParameterValue', SenderFault: true }));
    return json({ Successful: [], Failed });
  }
  if (target.endsWith('.Query') || target.endsWith('.Scan')) return json({ Items: stored });
  if (target.endsWith('.BatchGetItem')) return json({ Responses: { 'app-table': stored } });
  if (target.endsWith('.BatchExecuteStatement')) return json({ Responses: [{}] });
  if (target.startsWith('DynamoDB_')) return json({ Item: stored[0] });
  return method === 'PUT' ? { status: 200 } : { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' };
}

function json(content: object): ServerAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: JSON.stringify(content),
  };
}

/** The records of an event of `events/`. */
function recordsOf(name: string) {
  const file = fileURLToPath(new URL(`../application/events/${name}.json`, import.meta.url));
  return eventSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).Records;
}

/** A handler as Lambda calls it, whatever its module exports. */
async function invoke(path: string, event: object): Promise<z.output<typeof answerSchema>> {
  const handlerModule = z.object({ handler: z.instanceof(Function) }).parse(await import(path));
  return answerSchema.parse(await handlerModule.handler(event, { getRemainingTimeInMillis: () => 60_000 }));
}

let server: LoopbackServer;

beforeAll(async () => {
  server = await loopbackServer(answer);
  const environment = {
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    ...{ AWS_ENDPOINT_URL_DYNAMODB: server.endpoint, AWS_ENDPOINT_URL_SQS: server.endpoint },
    ...{ AWS_ENDPOINT_URL_S3: server.endpoint, TABLE_NAME: 'app-table', ARCHIVE_BUCKET: 'app-archive' },
    FAN_OUT_QUEUE_URL: `${server.endpoint}/123456789012/fan-out`,
    DEAD_LETTER_QUEUE_URL: `${server.endpoint}/123456789012/dead-letters`,
    ...{ POWERTOOLS_METRICS_NAMESPACE: 'denorm', POWERTOOLS_SERVICE_NAME: 'denorm' },
    ...{ POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
  };
  for (const [name, text] of Object.entries(environment)) vi.stubEnv(name, text);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

describe('a handler answers Lambda with', () => {
  test.each([
    ['propagate', 'order-shipped'],
    ['archive', 'order-expired'],
  ])('the sequence number of the record that it could not dead-letter: %s', async (name, event) => {
    const good = recordsOf(event).slice(0, 1);
    const unreadable = { eventSource: 'aws:dynamodb', dynamodb: { SequenceNumber: '300' } };

    expect(
      (await invoke(`../application/handlers/${name}.ts`, { Records: [unreadable] })).batchItemFailures,
    ).toEqual([{ itemIdentifier: '300' }]);
    expect(
      (await invoke(`../application/handlers/${name}.ts`, { Records: [...good, unreadable] }))
        .batchItemFailures,
    ).toEqual([{ itemIdentifier: '300' }]);
  });

  test('the id of the message that it could not dead-letter: fan-out', async () => {
    const [good] = recordsOf('rest-of-a-large-fan-out');
    const unreadable = { ...good, messageId: 'second', body: 'no message' };

    const { batchItemFailures } = await invoke('../application/handlers/fan-out.ts', {
      Records: [good, unreadable],
    });

    expect(batchItemFailures).toEqual([{ itemIdentifier: 'second' }]);
  });
});

test('Verify reads the share of the table that VERIFY_SAMPLE_PERCENT says', async () => {
  vi.stubEnv('VERIFY_SAMPLE_PERCENT', '2');
  requests.length = 0;

  await verifyHandler(config)({}, { getRemainingTimeInMillis: () => 60_000 });

  const scans = requests.filter(({ headers }) => String(headers['x-amz-target']).endsWith('.Scan'));
  expect(scans).toHaveLength(10);
  expect(JSON.parse(String(scans[0]?.body))).toMatchObject({ TotalSegments: 500 });
});

test('Sweep archives in the storage class that ARCHIVE_STORAGE_CLASS says', async () => {
  vi.stubEnv('ARCHIVE_STORAGE_CLASS', 'DEEP_ARCHIVE');
  const key = { PK: { S: 'acct_A#inc' }, SK: { S: 'inc_1' } };
  stored = [{ ...key, State: { S: 'CLOSED' }, CreatedAt: { N: '1600000000' } }];
  requests.length = 0;

  await sweepHandler(config)({}, { getRemainingTimeInMillis: () => 60_000 });

  const puts = requests.filter(({ method, path }) => method === 'PUT' && path.includes('/archive/Incident'));
  // Every segment of the scan finds the incident.
  expect([...new Set(puts.map(({ headers }) => headers['x-amz-storage-class']))]).toEqual(['DEEP_ARCHIVE']);
});

test('a propagation is out of time if it would have to wait into the last ten seconds', () => {
  const registry = config.registry();
  const contextOf = propagationContext({ environment: propagationEnvironment(), registry }, silentTelemetry);
  const { outOfTime } = contextOf({ getRemainingTimeInMillis: () => 15_000 });

  expect([0, 5_000, 5_001].map((ahead) => outOfTime(ahead))).toEqual([false, false, true]);
});
