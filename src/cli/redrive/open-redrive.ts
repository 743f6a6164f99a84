import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { failedBatchFolder } from '../../develop/dev/queue/failed-batch-folder.ts';
import { DenormError } from '../../model/errors.ts';
import type { DeadLetter } from '../../model/message.ts';
import { invokeFunction } from '../../operate/adapters/lambda/invoke-function.ts';
import { s3FailedBatches, stackFailedBatches } from '../../operate/adapters/s3/failed-batches.ts';
import type { StackOutputs } from '../../operate/adapters/stack-outputs.ts';
import {
  type BatchesOfFunction,
  type StreamFunction,
  streamFunctions,
} from '../../operate/dead-letters/failed-batch.ts';
import type { Answer, BatchRedrive } from '../../operate/dead-letters/redrive-batches.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import { sqsQueue } from '../../worker/adapters/sqs/sqs-queue.ts';
import { readStreamRecord } from '../../worker/adapters/stream-record.ts';
import { archiveBatch } from '../../worker/archive/archive-batch.ts';
import type { ArchiveContext } from '../../worker/archive/archive-item.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { propagateBatch } from '../../worker/propagation/propagate-batch.ts';
import { UsageError } from '../errors.ts';
import { type ArchiveOptions, openArchive } from '../options/archive.ts';
import { type RulesOptions, rulesInForce } from '../options/rules-in-force.ts';
import { meansDevEnvironment, orDevEnvironment, staged } from '../options/stage.ts';
import { openWhere, type Where, type WhereOptions } from '../options/where.ts';
import { type InProcessPropagation, inProcessPropagation } from './in-process.ts';

/** The source and the destination of batches. */
export interface RedriveWhere {
  readonly sources: readonly BatchesOfFunction[];
  readonly work: Pick<BatchRedrive, 'functionOf' | 'putThrough'>;
  close(): void;
}

/**
 * Opens what the options name: a deployed stack whose functions are invoked, or a table to process from this
 * machine.
 * @throws UsageError if the options contradict each other or are incomplete
 */
export async function openRedrive(
  asked: RedriveOptions,
  onDeadLettered: (deadLettered: DeadLetter) => void,
): Promise<RedriveWhere> {
  const given = await orDevEnvironment(asked);
  const options = await staged(given);
  const { bucket, archiveDir } = options;
  const isDevEnvironment = meansDevEnvironment(options);
  const where = await openWhere({
    ...options,
    ...(isDevEnvironment && { endpoint: options.endpoint ?? 'http://127.0.0.1:8000' }),
  });
  try {
    const { stack, close } = where;
    const isHere = stack === undefined || bucket !== undefined || archiveDir !== undefined;
    return {
      sources: sourcesOf(options, where),
      work: {
        functionOf: (name) => functionOf(name, options, stack),
        putThrough: isHere
          ? await putThroughHere(
              where,
              isDevEnvironment ? { archiveDir: '.denorm', ...given, ...options } : { ...given, ...options },
              isDevEnvironment ? '.denorm' : undefined,
              onDeadLettered,
            )
          : invoked(where, stack),
      },
      close,
    };
  } catch (error) {
    where.close();
    throw error;
  }
}

/** @throws UsageError if it is unknown where the batches are, or whose those in a bucket are */
function sourcesOf(
  { from, of, bucket }: RedriveOptions,
  { connection, stack }: Where,
): readonly BatchesOfFunction[] {
  const [, named] = /^s3:\/\/([^/]+)\/?$/.exec(from ?? '') ?? [];
  if (named !== undefined && of === undefined)
    throw new UsageError(
      'usage.from',
      `Expected --of ${streamFunctions.join(' or --of ')} beside --from ${from}, got none: name the function whose bucket it is`,
    );
  if (named !== undefined)
    return [{ batches: s3FailedBatches({ client: connection.s3, bucket: named }), owner: of }];
  if (from?.startsWith('s3:'))
    throw new UsageError('usage.from', `Expected --from to be s3://BUCKET or a folder, got '${from}'`);
  if (from === undefined && of !== undefined)
    throw new UsageError('usage.from', 'Expected --of only beside --from, got it alone: leave it out');
  if (from !== undefined) return [{ batches: failedBatchFolder(from), owner: of }];
  if (stack !== undefined) return stackFailedBatches(connection.s3, stack);
  if (bucket === undefined)
    return [{ batches: failedBatchFolder(join('.denorm', 'on-failure')), owner: undefined }];
  throw new UsageError(
    'usage.from',
    'Expected --from s3://BUCKET beside --bucket, got none: name the folder or bucket of the batches, or the --stack',
  );
}

/**
 * Maps the physical name of a function to its role. SAM calls it `<stack>-<logical ID>-<letters>`, with new letters when it is
 * replaced: batches of a replaced function belong to its successor. Other tools may give it any prefix.
 */
function functionOf(name: string, { stack: named }: RedriveOptions, stack: StackOutputs | undefined) {
  if (stack?.PropagateFunction === name) return 'Propagate';
  if (stack?.ArchiveFunction === name) return 'Archive';
  const [, of, id] = /^(?:(.+)-)?(Propagate|Archive)(?:-[A-Za-z0-9]+)?$/.exec(name) ?? [];
  const isOurs = stack === undefined || of === named;
  return isOurs ? streamFunctions.find((one) => one === id) : undefined;
}

function invoked({ connection }: Where, stack: StackOutputs): BatchRedrive['putThrough'] {
  const names = { Propagate: stack.PropagateFunction, Archive: stack.ArchiveFunction };
  return async (to, records) => {
    const name = names[to];
    return name === undefined ? notArchived(records) : invokeFunction(connection.lambda, name, records);
  };
}

/** The answer for a batch of `Archive` from before the last archive rule was removed: it is kept. */
function notArchived(records: readonly unknown[]): Answer {
  const why =
    'nothing is archived any more: remove the batch, or add an archive rule to denorm.config.ts again';
  return { unacknowledged: records.length, why };
}

/**
 * Read before each batch, because nothing else retries here: if the table is unreachable, the batch is kept
 * instead of dead-lettered.
 */
const anyKey = { pk: 'denorm', sk: 'redrive' };

/**
 * Processes records in this process as the functions would. Messages go to the stack's queue. Without a
 * stack, they are processed here before the records are acknowledged.
 * @param stateDir where to write dead letters without a stack
 */
export async function putThroughHere(
  where: Where,
  options: RedriveOptions,
  stateDir: string | undefined,
  onDeadLettered: (deadLettered: DeadLetter) => void,
): Promise<BatchRedrive['putThrough']> {
  const inForce = await rulesInForce(where, options, where.stack?.ArchiveFunction);
  const { registry, evidence, storageClass } = inForce;
  const archive =
    registry.archives.length === 0 ? undefined : (await openArchive(options, where, storageClass)).archive;
  const table = coalescingTable(where.table, registry.table);
  const propagations = inProcessPropagation({ registry, table, stateDir, onDeadLettered });
  const queue = queueOf(where, propagations);
  const context: PropagationContext = { ...propagations.context, queue };
  const archiving: ArchiveContext | undefined = archive && {
    ...{ registry, table: where.table, archive, queue },
    ...{
      telemetry: context.telemetry,
      nonce: () => randomBytes(8),
      concurrency: context.settings.concurrency,
    },
  };
  return async (to, records) => {
    if (to === 'Archive' && archiving === undefined) return notArchived(records);
    if (where.stack === undefined) await where.table.get(anyKey);
    const read = records.map((record, index) => ({
      id: String(index),
      says: readStreamRecord(registry.table, record, evidence),
    }));
    const failures = await (to === 'Archive' && archiving !== undefined
      ? archiveBatch(archiving, read)
      : propagateBatch(context, read));
    await propagations.take([]);
    return answerOf(failures);
  };
}

function queueOf({ queues, connection: { sqs } }: Where, propagations: InProcessPropagation) {
  const { queueUrl, deadLetterQueueUrl } = queues;
  if (queueUrl === undefined || deadLetterQueueUrl === undefined) return propagations.context.queue;
  return sqsQueue({ client: sqs, queueUrl, deadLetterQueueUrl });
}

function answerOf(failures: ReadonlyMap<string, unknown>): Answer {
  const [first] = failures.values();
  return {
    unacknowledged: failures.size,
    ...(first instanceof DenormError && { why: first.message }),
  };
}

export interface RedriveOptions extends WhereOptions, ArchiveOptions, RulesOptions {
  readonly from?: string;
  readonly of?: StreamFunction;
}
