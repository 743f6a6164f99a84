import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import config from '../../denorm.config.ts';
import { ApplicationTable } from '../../scripts/demo/application-table.ts';
import { openArchiveFolder } from '../../src/dev/archive-folder.ts';
import { localEvidence } from '../../src/dev/dev-functions.ts';
import type { LocalServer } from '../../src/dev/local-server.ts';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { createTable } from '../../src/dev/table/create-table.ts';
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import type { PropagationReport } from '../../src/model/work/report.ts';
import { table } from '../../src/table.ts';
import { ModelQueue, RecordingTelemetry } from '../../src/testing/table-model/model-worker.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { systemClock } from '../../src/worker/adapters/system-clock.ts';
import { archive } from '../../src/worker/lambda/archive.ts';
import { fanOut } from '../../src/worker/lambda/fan-out.ts';
import { propagate } from '../../src/worker/lambda/propagate.ts';
import { defaultSettings } from '../../src/worker/ports.ts';
import { settings } from '../fixtures/application/stack.ts';
import { type EventExample, eventExamples } from './event-examples.ts';

const registry = config.registry();
const { rules, aggregates } = registry;
const everyRule = [...rules, ...aggregates].map(({ name }) => name);

const eventsFolder = fileURLToPath(new URL('../../events', import.meta.url));
const archiveDir = mkdtempSync(join(tmpdir(), 'denorm-events-'));
let server: LocalServer;

beforeAll(async () => {
  server = await startEmbeddedTableServer();
});
afterAll(async () => {
  await server.stop();
  rmSync(archiveDir, { recursive: true });
});

/** Runs the event's function on it, on a table that is as the application left it. */
async function run({
  name,
  function: functionName,
  before,
  change,
}: EventExample): Promise<PropagationReport[]> {
  await createTable(server.endpoint, name, settings.table);
  const application = new ApplicationTable(server.endpoint, name, table);
  for (const item of before) await application.put(item);
  await change(application);
  application.close();
  const client = new DynamoDBClient(loopbackClientSettings(server.endpoint));
  const telemetry = new RecordingTelemetry();
  const context = {
    ...{ registry, telemetry, settings: defaultSettings, clock: systemClock, outOfTime: () => false },
    table: dynamoDbTable({ client, tableName: name, table }),
    queue: new ModelQueue(),
  };
  const event = JSON.parse(readFileSync(join(eventsFolder, `${name}.json`), 'utf8'));
  const { batchItemFailures } = await {
    Propagate: () => propagate(context, localEvidence, event),
    FanOut: () => fanOut(context, event),
    Archive: async () =>
      archive(
        {
          ...context,
          archive: await openArchiveFolder(archiveDir),
          nonce: () => randomBytes(8),
          concurrency: 1,
        },
        localEvidence,
        event,
      ),
  }[functionName]();
  client.destroy();
  expect(batchItemFailures).toEqual([]);
  expect(context.queue.deadLettered).toEqual([]);
  return telemetry.propagations;
}

describe('the events', () => {
  it('are the events of the examples', () => {
    const files = readdirSync(eventsFolder);
    expect(files.map((file) => basename(file, '.json')).sort()).toEqual(
      eventExamples.map(({ name }) => name).sort(),
    );
  });

  it('cover every function and every rule', () => {
    expect(new Set(eventExamples.map((example) => example.function))).toEqual(
      new Set(['Propagate', 'FanOut', 'Archive']),
    );
    expect(new Set(eventExamples.flatMap((example) => example.rules))).toEqual(new Set(everyRule));
  });

  it.each(eventExamples)('$name is processed by $function', async (example) => {
    const propagations = await run(example);
    expect(propagations.map(({ rule }) => rule).sort()).toEqual([...example.rules].sort());
    const changed = propagations.reduce((sum, { written, removed }) => sum + written + removed, 0);
    if (example.function !== 'Archive') expect(changed).toBeGreaterThan(0);
    else expect(existsSync(join(archiveDir, 'archive', 'Order'))).toBe(true);
  });
});
