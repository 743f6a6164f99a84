import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { StackSettings } from '../../deploy/stack-settings.ts';
import type { Registry } from '../../model/registry.ts';
import { openStream } from '../../operate/adapters/dynamodb/stream-port.ts';
import { withoutLogger } from '../../worker/adapters/client-settings.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../../worker/adapters/dynamodb/dynamodb-table.ts';
import type { ArchivePort } from '../../worker/archive/ports.ts';
import type { QueuePort, TablePort } from '../../worker/ports.ts';
import { CheckpointFile } from './checkpoint.ts';
import { type DevEvents, devFunctions } from './dev-functions.ts';
import { messageOf } from './errors.ts';
import { EventSource } from './event-source/event-source.ts';
import { onFailureFolder } from './event-source/on-failure-folder.ts';
import { loopbackClientSettings } from './loopback.ts';
import { deadLetterFolder } from './queue/dead-letter-folder.ts';
import { Expiry } from './table/expire.ts';

export interface DevWorkerOptions extends DevEvents {
  readonly registry: Registry;
  readonly stack: StackSettings;
  readonly tableName: string;
  /** File of the embedded server's data. Default: a temporary one. */
  readonly dbPath?: string;
  /** A text that differs if the rules differ: with other rules, the whole stream of `dbPath` is read again. */
  readonly rulesDigest?: string;
  /** Folder for the archive, laid out as the bucket, and for dead letters and failed batches. */
  readonly stateDir: string;
  /** Wraps the worker's table port. Default: no wrapper. */
  readonly watch?: (table: TablePort) => TablePort;
}

export interface DevWorker {
  /** Resolves when all writes so far have been processed, except for rechecks and other delayed messages. */
  idle(): Promise<void>;
  /** Makes all delayed messages due now. */
  deliverDelayedNow(): void;
  /** Rejects if the stream is unreachable. */
  readonly failed: Promise<never>;
  /** The fan-out queue, for messages that are redriven; undefined without a worker. */
  readonly queue: QueuePort | undefined;
  /** Finishes the work in flight, then stops. Delayed messages are not awaited. */
  stop(): Promise<void>;
}

export interface DevTable {
  readonly endpoint: string;
  readonly streamArn: string;
  readonly archive: ArchivePort | undefined;
  /** Whether its items are a state of the past, whose expiry is not the worker's to see: only items written since expire. */
  readonly isImported: boolean;
}

export async function startDevWorker(options: DevWorkerOptions, on: DevTable): Promise<DevWorker> {
  const { registry, tableName, stateDir, dbPath, rulesDigest = '' } = options;
  const { endpoint, streamArn, archive } = on;
  const client = withoutLogger(new DynamoDBClient(loopbackClientSettings(endpoint)));
  const streams = withoutLogger(new DynamoDBStreamsClient(loopbackClientSettings(endpoint)));
  const port = dynamoDbTable({ client, tableName, table: registry.table });
  const table = coalescingTable(options.watch?.(port) ?? port, registry.table);
  const stream = openStream(streams, streamArn);
  const file = dbPath === undefined ? undefined : new CheckpointFile(dbPath, stream, rulesDigest);
  const { positions, messages } = (await file?.read()) ?? { positions: {}, messages: [] };
  const deadLetters = deadLetterFolder(stateDir);
  const { mapped, queue } = devFunctions({ ...options, table, archive, deadLetters, messages });
  const expiry = new Expiry({ endpoint, tableName, names: registry.table });
  const events = new EventSource({
    ...{ stream, functions: mapped, resumed: positions },
    onFailure: onFailureFolder(stateDir),
    prepare: expiry.prepare,
  });
  const checkpoints = file?.keep(
    () => ({ positions: events.positions(), messages: queue.messages() }),
    (error) => options.onFailed?.(messageOf(error)),
  );
  await expiry.start(on.isImported ? 'written' : 'all');
  return {
    async idle() {
      do {
        await queue.idle();
        await events.idle();
      } while (!queue.isIdle || (await expiry.removeDue()) > 0);
    },
    deliverDelayedNow: () => queue.deliverDelayedNow(),
    failed: events.failed,
    queue,
    async stop() {
      await expiry.stop();
      await events.stop();
      await queue.stop();
      await checkpoints?.stop();
      client.destroy();
      streams.destroy();
    },
  };
}
