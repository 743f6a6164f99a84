/** `npm run capture:events`: makes the files of `events/` from what the local event source and queue deliver. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import config from '../denorm.config.ts';
import { localEvidence, sqsEvent, telemetryFor } from '../src/develop/dev/dev-functions.ts';
import { startEventSource } from '../src/develop/dev/event-source/event-source.ts';
import { onFailureFolder } from '../src/develop/dev/event-source/on-failure-folder.ts';
import { openStream } from '../src/develop/dev/event-source/stream-port.ts';
import { loopbackClientSettings } from '../src/develop/dev/loopback.ts';
import { deadLetterFolder } from '../src/develop/dev/queue/dead-letter-folder.ts';
import { localQueue } from '../src/develop/dev/queue/queue.ts';
import { ApplicationTable } from '../src/develop/dev/table/application-table.ts';
import { createTable } from '../src/develop/dev/table/create-table.ts';
import { startEmbeddedTableServer } from '../src/develop/dev/table/embedded-table-server.ts';
import { Expiry } from '../src/develop/dev/table/expire.ts';
import { readTemplate } from '../src/develop/dev/template.ts';
import { table } from '../src/table.ts';
import { coalescingTable } from '../src/worker/adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { systemClock } from '../src/worker/adapters/system-clock.ts';
import { propagate } from '../src/worker/lambda/propagate.ts';
import { defaultSettings } from '../src/worker/ports.ts';
import { type EventScene, eventScenes } from './event-scenes.ts';
import { projectFolder } from './python-tools.ts';

const tableName = 'app';
const registry = config.registry();
const template = readTemplate(fileURLToPath(new URL('../template.yaml', import.meta.url)));

/** Plays a scene on a table of its own, and returns what its function was handed last. */
async function capture(scene: EventScene, folder: string): Promise<unknown> {
  const server = await startEmbeddedTableServer();
  const settings = loopbackClientSettings(server.endpoint);
  const client = new DynamoDBClient(settings);
  const streams = new DynamoDBStreamsClient(settings);
  const { streamArn } = await createTable(server.endpoint, tableName, template.table);
  const expiry = new Expiry({
    ...{ endpoint: server.endpoint, tableName, keyAttributes: [table.pk, table.sk], attribute: table.ttl },
    readers: 1,
  });
  let delivered: DynamoDBStreamEvent = { Records: [] };
  const name = scene.function === 'Archive' ? 'Archive' : 'Propagate';
  const mapping = template.functions[name]?.mapping;
  if (mapping === undefined) throw new Error(`Expected the function ${name} in the template`);
  const events = startEventSource({
    stream: openStream(streams, streamArn),
    functions: [
      {
        name,
        // A scene's writes in one batch, however long they take.
        settings: {
          ...mapping,
          ParallelizationFactor: 1,
          MaximumBatchingWindowInSeconds: 2,
        },
        async invoke(event) {
          delivered = event;
          return { batchItemFailures: [] };
        },
      },
    ],
    onFailure: onFailureFolder(folder),
    prepare: expiry.prepare,
    onRecordFetched: expiry.onRecordFetched,
  });
  try {
    const application = new ApplicationTable(server.endpoint, tableName, table);
    for (const item of scene.before) await application.put(item);
    await events.idle();
    await expiry.start();
    await scene.act(application);
    await events.idle();
    if (scene.function !== 'FanOut') return delivered;
    return await queuedOn(delivered, client, folder);
  } finally {
    await expiry.stop();
    await events.stop();
    client.destroy();
    streams.destroy();
    await server.stop();
  }
}

/** What the queue delivers after Propagate has worked on an event, a page being one copy. */
async function queuedOn(
  event: DynamoDBStreamEvent,
  client: DynamoDBClient,
  folder: string,
): Promise<unknown> {
  let delivered: unknown;
  const { FanOut } = template.functions;
  const queue = localQueue({
    async deliver(messages) {
      delivered ??= sqsEvent(messages);
      return [];
    },
    visibilitySeconds: FanOut.visibilityTimeoutSeconds,
    maxReceives: FanOut.maxReceiveCount,
    batchSize: 1,
    deadLetters: deadLetterFolder(folder),
  });
  const context = {
    ...{
      registry,
      queue,
      telemetry: telemetryFor({}, Date.now()),
      outOfTime: () => false,
      clock: systemClock,
    },
    table: coalescingTable(dynamoDbTable({ client, tableName, table }), table),
    settings: { ...defaultSettings, pageLimit: 2, recheckDelaySeconds: 0 },
  };
  await propagate(context, localEvidence, event);
  await queue.idle({ includeDelayed: true });
  await queue.stop();
  return delivered;
}

const folder = mkdtempSync(join(tmpdir(), 'denorm-events-'));
try {
  for (const scene of eventScenes) {
    const event = await capture(scene, folder);
    const path = join('events', `${scene.name}.json`);
    writeFileSync(join(projectFolder, path), `${JSON.stringify(event, null, 2)}\n`);
    console.log(path);
  }
} finally {
  rmSync(folder, { recursive: true });
}
