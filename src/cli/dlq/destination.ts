import { randomBytes } from 'node:crypto';
import { DenormError } from '../../model/errors.ts';
import type { DeadLetter, Message } from '../../model/message.ts';
import { invokeFunction } from '../../operate/adapters/lambda/invoke-function.ts';
import { streamFunctions } from '../../operate/dead-letters/failed-batch.ts';
import type { Answer, BatchRedrive } from '../../operate/dead-letters/redrive-batches.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import { sqsQueue } from '../../worker/adapters/sqs/sqs-queue.ts';
import { readStreamRecord } from '../../worker/adapters/stream-record.ts';
import { archiveBatch } from '../../worker/archive/archive-batch.ts';
import { propagateBatch } from '../../worker/propagation/propagate-batch.ts';
import { UsageError } from '../errors.ts';
import { type ArchiveOptions, openArchive } from '../options/archive.ts';
import type { RulesInForce } from '../options/rules-in-force.ts';
import { openWhere } from '../options/where.ts';
import { inProcessPropagation } from './in-process.ts';
import type { Failures } from './open-failures.ts';

/** Where redriven work goes: the fan-out queue and the functions of a stack, or this process. */
export interface Destination extends Pick<BatchRedrive, 'functionOf' | 'putThrough'> {
  deliver(messages: readonly Message[]): Promise<void>;
  close(): void;
}

export interface DestinationOptions {
  readonly inForce: RulesInForce;
  readonly archive: ArchiveOptions;
  /** Where dead letters of work in this process are written. Without it, such work fails. */
  readonly stateDir: string | undefined;
  readonly onDeadLettered: (deadLettered: DeadLetter) => void;
}

/** @throws UsageError `usage.queue` if there are a dead-letter queue to redrive from and no fan-out queue */
export function destinationOf(failures: Failures, work: DestinationOptions): Destination {
  const { connection, stack, isDev, queueUrl, deadLetterQueueUrl } = failures.place;
  if (deadLetterQueueUrl !== undefined && queueUrl === undefined)
    throw new UsageError(
      'usage.queue',
      'Expected --queue-url URL beside --dead-letter-queue-url, got none: name the fan-out queue to send to',
    );
  const queue =
    queueUrl === undefined || deadLetterQueueUrl === undefined || isDev
      ? undefined
      : sqsQueue({ client: connection.sqs, queueUrl, deadLetterQueueUrl });
  let opened: ReturnType<typeof openHere> | undefined;
  const here = () => {
    opened ??= openHere(failures, work, queue);
    return opened;
  };
  const names = { Propagate: stack?.PropagateFunction, Archive: stack?.ArchiveFunction };
  return {
    functionOf: (name) => functionOf(name, failures),
    deliver: async (messages) => (queue ? queue.send(messages) : (await here()).deliver(messages)),
    async putThrough(to, records) {
      if (stack === undefined) return (await here()).putThrough(to, records);
      const name = names[to];
      return name === undefined ? notArchived(records) : invokeFunction(connection.lambda, name, records);
    },
    close: () => void opened?.then(({ close }) => close()).catch(() => {}),
  };
}

/**
 * Maps the physical name of a function to its role. SAM calls it `<stack>-<logical ID>-<letters>`, with new letters when it is
 * replaced: batches of a replaced function belong to its successor. Other tools may give it any prefix.
 */
function functionOf(name: string, { place: { stack, stackName } }: Failures) {
  if (stack?.PropagateFunction === name) return 'Propagate';
  if (stack?.ArchiveFunction === name) return 'Archive';
  const [, of, id] = /^(?:(.+)-)?(Propagate|Archive)(?:-[A-Za-z0-9]+)?$/.exec(name) ?? [];
  const isOurs = stack === undefined || of === stackName;
  return isOurs ? streamFunctions.find((one) => one === id) : undefined;
}

/** The answer for a batch of `Archive` from before the last archive rule was removed: it is kept. */
function notArchived(records: readonly unknown[]): Answer {
  const why =
    'nothing is archived any more: remove the batch, or add an archive rule to denorm.config.ts again';
  return { unacknowledged: records.length, why };
}

/**
 * Read before anything else, because nothing retries here: if the table is unreachable, work is kept instead of
 * dead-lettered.
 */
const anyKey = { pk: 'denorm', sk: 'redrive' };

/** Processes work in this process, as the functions would. What it queues goes to the queue, or is processed here, too. */
async function openHere(
  { options }: Failures,
  { inForce, archive: archiveOptions, stateDir, onDeadLettered }: DestinationOptions,
  queue: ReturnType<typeof sqsQueue> | undefined,
): Promise<Omit<Destination, 'functionOf'>> {
  const where = await openWhere(options);
  const { registry, evidence, storageClass } = inForce;
  const table = coalescingTable(where.table, registry.table);
  const propagations = inProcessPropagation({ registry, table, stateDir, onDeadLettered });
  const context = { ...propagations.context, ...(queue && { queue }) };
  const open = () => openArchive(archiveOptions, where, storageClass);
  const archive = registry.archives.length === 0 ? undefined : (await open()).archive;
  const { telemetry, settings } = context;
  const archiving = archive && {
    ...{ registry, table: where.table, archive, queue: context.queue, telemetry },
    ...{ nonce: () => randomBytes(8), concurrency: settings.concurrency },
  };
  return {
    async deliver(messages) {
      await where.table.get(anyKey);
      await propagations.take(messages);
    },
    async putThrough(to, records) {
      if (to === 'Archive' && archiving === undefined) return notArchived(records);
      await where.table.get(anyKey);
      const read = records.map((record, index) => ({
        id: String(index),
        says: readStreamRecord(registry.table, record, evidence),
      }));
      const failures = await (to === 'Archive' && archiving !== undefined
        ? archiveBatch(archiving, read)
        : propagateBatch(context, read));
      await propagations.take([]);
      const [first] = failures.values();
      return { unacknowledged: failures.size, ...(first instanceof DenormError && { why: first.message }) };
    },
    close: () => where.close(),
  };
}
