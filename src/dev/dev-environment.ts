import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { withoutLogger } from '../adapters/client-settings.ts';
import { coalescingTable } from '../adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../adapters/dynamodb/dynamodb-table.ts';
import type { Registry } from '../model/registry.ts';
import type { QueuePort, TablePort } from '../ports.ts';
import { openArchiveFolder } from './archive-folder/archive-folder.ts';
import { type DevEvents, devFunctions } from './dev-functions.ts';
import { startEventSource } from './event-source/event-source.ts';
import { onFailureFolder } from './event-source/on-failure-folder.ts';
import { openStream } from './event-source/stream-port.ts';
import { loopbackClientSettings } from './loopback.ts';
import { deadLetterFolder } from './queue/dead-letter-folder.ts';
import { createTable } from './table/create-table.ts';
import { startEmbeddedTableServer } from './table/embedded-table-server.ts';
import { Expiry } from './table/expire.ts';
import { readTemplate, type TemplateSettings } from './template.ts';

export interface DevEnvironmentOptions extends DevEvents {
  readonly registry: Registry;
  readonly template: TemplateSettings;
  readonly tableName: string;
  /** A running DynamoDB on this machine. Default: an embedded one is started. */
  readonly endpoint?: string;
  /** Port of the embedded server on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** File of the embedded server's data. Default: a temporary one. */
  readonly dbPath?: string;
  /** Folder for `archive/…`, laid out as in the bucket. */
  readonly archiveDir: string;
  /** Folder for dead letters and failed batches. */
  readonly stateDir: string;
  /** Seconds until a fan-out over an index is rechecked. Default: the template's. */
  readonly recheckDelaySeconds?: number;
  /**
   * Maximum number of copies that one delivery processes before it queues the rest. Default: the template's.
   */
  readonly pageLimit?: number;
  /** Whether to run the worker. Default: true. Without it, nothing is propagated, archived or expired. */
  readonly worker?: boolean;
  /** Wraps the worker's table port. Default: no wrapper. */
  readonly watch?: (table: TablePort) => TablePort;
}

/** A local table with the worker running beside it. */
export interface DevEnvironment {
  readonly endpoint: string;
  /** Resolves when all writes so far have been processed, except for rechecks and other delayed messages. */
  idle(): Promise<void>;
  /** Makes all delayed messages due now. */
  deliverDelayedNow(): void;
  /** Rejects if the table's server has ended, or its stream is unreachable. */
  readonly failed: Promise<never>;
  /** The fan-out queue, for messages that are redriven; undefined without a worker. */
  readonly queue: QueuePort | undefined;
  /** Finishes the work in flight, then stops. Delayed messages are not awaited. */
  close(): Promise<void>;
}

/** Parameters of the template for local use: no batching window, because local invocations cost nothing. */
export const localParameters = { PropagateWindowSeconds: '0' };

/** The settings of a template's file for local use. */
export function devTemplate(path: string): TemplateSettings {
  return readTemplate(path, localParameters);
}

/**
 * Opens a dev environment: the embedded table or a running one, the worker's functions, and the event
 * source, the queue and the expiry that connect them, with the settings of `template.yaml`.
 * @throws LocalError if a requirement is missing; then nothing is left running
 */
export async function openDevEnvironment(options: DevEnvironmentOptions): Promise<DevEnvironment> {
  const { template } = options;
  const archive =
    template.functions.Archive === undefined ? undefined : await openArchiveFolder(options.archiveDir);
  const deadLetters = deadLetterFolder(options.stateDir);
  const server =
    options.endpoint === undefined ? await startEmbeddedTableServer(serverOptions(options)) : undefined;
  const endpoint = server?.endpoint ?? options.endpoint ?? '';
  try {
    if (server?.slowsDown !== undefined) options.onNotice?.(server.slowsDown);
    const { registry, tableName } = options;
    const made = await createTable(endpoint, tableName, template.table);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => {});
    let closing = false;
    server?.ended.then(() => {
      if (!closing) reject(new Error('The embedded DynamoDB has ended by itself: start again'));
    });
    if (options.worker === false) {
      return {
        endpoint,
        idle: async () => {},
        deliverDelayedNow: () => {},
        failed: ended,
        queue: undefined,
        async close() {
          closing = true;
          await server?.stop();
        },
      };
    }
    const client = withoutLogger(new DynamoDBClient(loopbackClientSettings(endpoint)));
    const streams = withoutLogger(new DynamoDBStreamsClient(loopbackClientSettings(endpoint)));
    const counted = options.watch ?? ((port) => port);
    const table = coalescingTable(
      counted(dynamoDbTable({ client, tableName, table: registry.table })),
      registry.table,
    );
    const functions = devFunctions({ ...options, template, table, archive, deadLetters });
    const keyAttributes = [registry.table.pk, registry.table.sk];
    const expiry = new Expiry({
      ...{ endpoint, tableName, keyAttributes, attribute: registry.table.ttl },
      readers: functions.mapped.filter(({ settings }) => settings.Enabled).length,
      afterAnother: options.endpoint !== undefined || options.dbPath !== undefined,
    });
    const events = startEventSource({
      stream: openStream(streams, made.streamArn),
      functions: functions.mapped,
      onFailure: onFailureFolder(options.stateDir),
      prepare: expiry.prepare,
      onRecordFetched: expiry.onRecordFetched,
    });
    await expiry.start();
    const quiet = async () => {
      do {
        await events.idle();
        await functions.queue.idle();
        await events.idle();
      } while (functions.queue.waiting() > 0);
    };
    return {
      endpoint,
      idle: quiet,
      deliverDelayedNow: () => functions.queue.deliverDelayedNow(),
      failed: Promise.race([events.failed, ended]),
      queue: functions.queue,
      async close() {
        closing = true;
        await expiry.stop();
        await events.stop();
        await functions.queue.stop();
        client.destroy();
        streams.destroy();
        await server?.stop();
      },
    };
  } catch (error) {
    await server?.stop();
    throw error;
  }
}

function serverOptions({ port, dbPath }: DevEnvironmentOptions) {
  return { ...(port !== undefined && { port }), ...(dbPath !== undefined && { dbPath }) };
}
