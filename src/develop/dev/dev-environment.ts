import { openArchiveFolder } from './archive-folder/archive-folder.ts';
import { type DevWorker, type DevWorkerOptions, startDevWorker } from './dev-worker.ts';
import { createTable } from './table/create-table.ts';
import { type EmbeddedTableServerOptions, startEmbeddedTableServer } from './table/embedded-table-server.ts';
import { type Guard, startGuard } from './table/guard.ts';

export interface DevEnvironmentOptions extends DevWorkerOptions, Pick<EmbeddedTableServerOptions, 'fill'> {
  /** A running DynamoDB on this machine. Default: an embedded one is started. */
  readonly endpoint?: string;
  /** Port of the embedded server on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** Whether to run the worker. Default: true. Without it, nothing is propagated, archived or expired. */
  readonly worker?: boolean;
}

export interface DevEnvironment extends Omit<DevWorker, 'stop'> {
  readonly endpoint: string;
  /** Rejects if the table's server has ended, or its stream is unreachable. */
  readonly failed: Promise<never>;
  /** Finishes the work in flight, then stops. Delayed messages are not awaited. */
  close(): Promise<void>;
}

/** Opens a table with its worker. @throws LocalError if a requirement is missing; then nothing is left running */
export async function openDevEnvironment(options: DevEnvironmentOptions): Promise<DevEnvironment> {
  const { stack } = options;
  const archive = stack.Archive === undefined ? undefined : await openArchiveFolder(options.stateDir);
  const server = options.endpoint === undefined ? await startEmbeddedTableServer(options) : undefined;
  const endpoint = server?.endpoint ?? options.endpoint ?? '';
  let guard: Guard | undefined;
  try {
    if (server !== undefined) guard = await startGuard(endpoint, options.port ?? 0);
    const streamArn = await createTable(endpoint, options.tableName, stack.table);
    const on = { endpoint, streamArn, archive, isImported: options.fill !== undefined };
    const worker = options.worker === false ? undefined : await startDevWorker(options, on);
    const failed = Promise.race([server, worker].flatMap((running) => running?.failed ?? []));
    failed.catch(() => {});
    return {
      endpoint: guard?.endpoint ?? endpoint,
      idle: async () => worker?.idle(),
      deliverDelayedNow: () => worker?.deliverDelayedNow(),
      failed,
      queue: worker?.queue,
      async close() {
        await worker?.stop();
        await guard?.close();
        await server?.stop();
      },
    };
  } catch (error) {
    await guard?.close();
    await server?.stop();
    throw error;
  }
}
