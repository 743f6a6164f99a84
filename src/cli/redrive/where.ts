import { join } from 'node:path';
import { invokeFunction } from '../../adapters/lambda/invoke-function.ts';
import { s3FailedBatches } from '../../adapters/s3/failed-batches.ts';
import type { StackOutputs } from '../../adapters/stack-outputs.ts';
import { type FailedBatches, streamFunctions } from '../../dead-letters/failed-batch.ts';
import type { BatchRedrive } from '../../dead-letters/redrive-batches.ts';
import { failedBatchFolder } from '../../dev/queue/failed-batch-folder.ts';
import type { DeadLetter } from '../../model/message.ts';
import { UsageError } from '../errors.ts';
import { openWhere, type Where } from '../options/where.ts';
import { putThroughHere, type RedriveOptions } from './here.ts';

/** Where batches come from and go to. */
export interface RedriveWhere {
  readonly work: Pick<BatchRedrive, 'batches' | 'functionOf' | 'putThrough'>;
  close(): void;
}

/**
 * Finds what the options name: a deployed stack whose functions are invoked, or a table that is worked on from here.
 * @throws UsageError where they contradict one another, or leave something open
 */
export async function openRedrive(
  options: RedriveOptions,
  onDeadLettered: (deadLettered: DeadLetter) => void,
): Promise<RedriveWhere> {
  const { bucket, archiveDir, stack: named } = options;
  const isDevEnvironment = named === undefined && bucket === undefined;
  const where = await openWhere({
    ...options,
    ...(isDevEnvironment && { endpoint: options.endpoint ?? 'http://127.0.0.1:8000' }),
  });
  try {
    const { stack, close } = where;
    const isHere = stack === undefined || bucket !== undefined || archiveDir !== undefined;
    return {
      work: {
        batches: batchesOf(options, where),
        functionOf: (name) => functionOf(name, options, stack),
        putThrough: isHere
          ? await putThroughHere(
              where,
              isDevEnvironment ? { archiveDir: '.denorm', ...options } : options,
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

function batchesOf({ from, bucket }: RedriveOptions, { connection, stack }: Where): FailedBatches {
  const [, named] = /^s3:\/\/([^/]+)\/?$/.exec(from ?? '') ?? [];
  if (named !== undefined) return s3FailedBatches({ client: connection.s3, bucket: named });
  if (from?.startsWith('s3:'))
    throw new UsageError('usage.from', `Expected --from to be s3://BUCKET or a folder, got '${from}'`);
  if (from !== undefined) return failedBatchFolder(from);
  if (stack !== undefined) return s3FailedBatches({ client: connection.s3, bucket: stack.FailureBucketName });
  if (bucket === undefined) return failedBatchFolder(join('.denorm', 'on-failure'));
  throw new UsageError(
    'usage.from',
    'Expected --from s3://BUCKET beside --bucket, got none: name the folder or bucket of the batches, or the --stack',
  );
}

/**
 * Which function a name is of. A deployed one is called `<stack>-<logical id>-<letters>`, and otherwise once it was
 * replaced: batches of the one before are those of the one that stands there now.
 */
function functionOf(name: string, { stack: named }: RedriveOptions, stack: StackOutputs | undefined) {
  if (stack?.PropagateFunction === name) return 'Propagate';
  if (stack?.ArchiveFunction === name) return 'Archive';
  const [, of, id, suffix] = /^(?:(.+)-)?(Propagate|Archive)(?:-([A-Za-z0-9]+))?$/.exec(name) ?? [];
  const isOurs = stack === undefined ? (of === undefined) === (suffix === undefined) : of === named;
  return isOurs ? streamFunctions.find((one) => one === id) : undefined;
}

function invoked({ connection }: Where, stack: StackOutputs): BatchRedrive['putThrough'] {
  const names = { Propagate: stack.PropagateFunction, Archive: stack.ArchiveFunction };
  return (to, records) => invokeFunction(connection.lambda, names[to], records);
}
