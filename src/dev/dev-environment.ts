import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { StackSettings } from '../deploy/stack-settings.ts';
import { canonicalMap } from '../model/items/attribute-value.ts';
import type { Change } from '../model/items/change.ts';
import type { Registry } from '../model/rules/registry.ts';
import { openStream } from '../operate/adapters/dynamodb/stream-port.ts';
import { withoutLogger } from '../worker/adapters/client-settings.ts';
import { dynamoDbTable } from '../worker/adapters/dynamodb/dynamodb-table.ts';
import { readStreamRecord } from '../worker/adapters/stream-record.ts';
import type { ArchivePort } from '../worker/archive/ports.ts';
import { openArchiveFolder } from './archive-folder.ts';
import { checkpointFile } from './checkpoint.ts';
import { type DevEvents, devFunctions, localEvidence } from './dev-functions.ts';
import { LocalError, messageOf } from './errors.ts';
import { startEventSource } from './event-source/event-source.ts';
import { onFailureFolder } from './event-source/on-failure-folder.ts';
import { answerOf } from './local-server.ts';
import { loopbackClientSettings } from './loopback.ts';
import { deadLetterFolder } from './queue/dead-letter-folder.ts';
import { createTable } from './table/create-table.ts';
import { lockDatabase } from './table/database-lock.ts';
import {
  type EmbeddedTableServerOptions,
  servedTable,
  startEmbeddedTableServer,
} from './table/embedded-table-server.ts';
import { expiryOf } from './table/expire.ts';
import { startGuard, workerHeader } from './table/guard.ts';
import { listUpdates } from './table/list-updates.ts';

export interface DevEnvironmentOptions extends DevEvents, EmbeddedTableServerOptions {
  readonly registry: Registry;
  readonly stack: StackSettings;
  readonly tableName: string;
  /** A running DynamoDB on this machine. Default: an embedded one is started. */
  readonly endpoint?: string;
  /** Port of the embedded server on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** A text that differs if the rules differ: with other rules, the whole stream of `dbPath` is read again. */
  readonly rulesDigest?: string;
  /** Folder for the archive, laid out as the bucket, and for dead letters and failed batches. */
  readonly stateDir: string;
  /** Whether to run the worker. Default: true. Without it, nothing is propagated, archived or expired. */
  readonly worker?: boolean;
}

export type DevEnvironment = Awaited<ReturnType<typeof openDevEnvironment>>;

/**
 * Opens a table with its worker.
 * @throws LocalError if a requirement is missing, or the table has a worker already; then nothing is left running
 */
export async function openDevEnvironment(options: DevEnvironmentOptions) {
  const { stack, dbPath, tableName, port = 0 } = options;
  /** What is open, in the order in which it is closed. */
  const open: (() => Promise<void>)[] = dbPath === undefined ? [] : [await lockDatabase(dbPath, port)];
  const close = async () => {
    for (const end of open) await end();
  };
  try {
    // Before anything is written. Whoever takes the port from now on is found when the table is there.
    if (options.endpoint === undefined) await (await startGuard('http://127.0.0.1', port)).close();
    const server = options.endpoint === undefined ? await startEmbeddedTableServer(options) : undefined;
    if (server !== undefined) open.unshift(server.stop);
    const behind = server?.endpoint ?? options.endpoint ?? '';
    const worked = options.worker === false ? undefined : tableName;
    const guard = server && (await startGuard(behind, port, { correction: listUpdates, worked }));
    if (guard !== undefined) open.unshift(guard.close);
    const definition = server === undefined ? stack.table : servedTable(stack.table);
    const streamArn = await createTable(behind, tableName, definition);
    if (worked !== undefined) await refuseSecondWorker(behind, worked);
    const archive = stack.Archive === undefined ? undefined : await openArchiveFolder(options.stateDir);
    const worker = worked === undefined ? undefined : await startWorker(options, behind, streamArn, archive);
    if (worker !== undefined) open.unshift(worker.close);
    const failed = Promise.race([server, worker].flatMap((running) => running?.failed ?? []));
    failed.catch(() => {});
    return {
      endpoint: guard?.endpoint ?? behind,
      /**
       * Resolves when all writes so far have been processed, except for rechecks and other delayed messages.
       * @param signal aborted when the caller no longer waits
       */
      idle: async (signal?: AbortSignal) => worker?.idle(signal),
      /** Makes all delayed messages due now. */
      deliverDelayedNow: () => worker?.deliverDelayedNow(),
      /** Rejects if the table's server has ended, or its stream is unreachable. */
      failed,
      /** The fan-out queue, for messages that are redriven; undefined without a worker. */
      queue: worker?.queue,
      /** Finishes the work in flight, then stops. Delayed messages are not awaited. */
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function refuseSecondWorker(endpoint: string, tableName: string): Promise<void> {
  const answer = await answerOf(endpoint).catch(() => undefined);
  if (answer?.headers[workerHeader] !== tableName) return;
  throw new LocalError(
    'table.has-worker',
    `Expected no other worker on the table ${tableName} at ${endpoint}, found that of the \`denorm dev\` that serves it: use that one, or leave out yours by --no-worker`,
  );
}

async function startWorker(
  options: DevEnvironmentOptions,
  endpoint: string,
  streamArn: string,
  archive: ArchivePort | undefined,
) {
  const { registry, tableName, stateDir, dbPath, rulesDigest = '', fill } = options;
  const client = withoutLogger(new DynamoDBClient(loopbackClientSettings(endpoint)));
  const streams = withoutLogger(new DynamoDBStreamsClient(loopbackClientSettings(endpoint)));
  const table = dynamoDbTable({ client, tableName, table: registry.table });
  const stream = openStream(streams, streamArn);
  const file = dbPath === undefined ? undefined : checkpointFile(dbPath, stream, rulesDigest);
  const { positions, messages } = (await file?.read(options.onReadAnew)) ?? { positions: {}, messages: [] };
  const deadLetters = deadLetterFolder(stateDir);
  const { mapped, queue } = devFunctions({ ...options, table, archive, deadLetters, messages });
  const expiry = expiryOf({ endpoint, tableName, names: registry.table });
  const events = startEventSource({
    stream,
    functions: mapped,
    resumed: positions,
    onFailure: onFailureFolder(stateDir),
    prepare(record) {
      const prepared = expiry.prepare(record);
      const change = readStreamRecord(options.registry.table, prepared, localEvidence);
      if ('unreadable' in change) return prepared;
      if (changesNothing(change)) return undefined;
      options.onChange?.(change);
      return prepared;
    },
  });
  const checkpoints = file?.keep(
    () => ({ positions: events.positions(), messages: queue.messages() }),
    (error) => options.onFailed?.(messageOf(error)),
  );
  const worker = {
    async idle(signal?: AbortSignal): Promise<void> {
      do {
        await queue.idle();
        await events.idle(signal);
      } while (!signal?.aborted && (!queue.isIdle() || (await expiry.removeDue()) > 0));
    },
    deliverDelayedNow: () => queue.deliverDelayedNow(),
    failed: events.failed,
    queue,
    async close(): Promise<void> {
      await expiry.stop();
      await events.stop();
      await queue.stop();
      await checkpoints?.stop();
      client.destroy();
      streams.destroy();
    },
  };
  try {
    // Imported items are a state of the past, whose expiry is not the worker's to see.
    await expiry.start(fill === undefined ? 'all' : 'written');
  } catch (error) {
    await worker.close();
    throw error;
  }
  return worker;
}

/** The embedded server writes a record of such a write, DynamoDB none. */
function changesNothing({ before, after }: Change): boolean {
  return before !== undefined && after !== undefined && canonicalMap(before) === canonicalMap(after);
}
