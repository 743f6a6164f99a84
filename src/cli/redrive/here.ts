import { randomBytes } from 'node:crypto';
import { coalescingTable } from '../../adapters/dynamodb/coalescing-table.ts';
import { sqsQueue } from '../../adapters/sqs/sqs-queue.ts';
import { readStreamRecord } from '../../adapters/stream-record.ts';
import { archiveBatch } from '../../archive/archive-batch.ts';
import type { ArchiveContext } from '../../archive/archive-item.ts';
import type { Answer, BatchRedrive } from '../../dead-letters/redrive-batches.ts';
import { DenormError } from '../../model/errors.ts';
import type { DeadLetter } from '../../model/message.ts';
import type { PropagationContext } from '../../propagation/context.ts';
import { propagateBatch } from '../../propagation/propagate-batch.ts';
import { table as names } from '../../table.ts';
import { type ArchiveOptions, openArchive } from '../options/archive-where.ts';
import { type RulesOptions, rulesInForce } from '../options/rules-in-force.ts';
import type { Where, WhereOptions } from '../options/where.ts';
import { type InProcessPropagation, inProcessPropagation } from './in-process.ts';

/** Read before a batch whose retries nobody else would take: it is kept where the table is out of reach, and not dead-lettered. */
const anyKey = { pk: 'denorm', sk: 'redrive' };

/**
 * Puts records through the functions' work in this process. What it queues goes to the stack's queue where one was named,
 * and is done here otherwise before the records count as acknowledged.
 * @param stateDir where what is dead-lettered goes, where there is no stack
 */
export async function putThroughHere(
  where: Where,
  options: RedriveOptions,
  stateDir: string | undefined,
  onDeadLettered: (deadLettered: DeadLetter) => void,
): Promise<BatchRedrive['putThrough']> {
  const { registry } = await rulesInForce(where, options);
  const { archive } = await openArchive(options, where);
  const table = coalescingTable(where.table, registry.table);
  const propagations = inProcessPropagation({ registry, table, stateDir, onDeadLettered });
  const queue = queueOf(where, propagations);
  const context: PropagationContext = { ...propagations.context, queue };
  const archiving: ArchiveContext = {
    ...{ registry, table: where.table, archive, queue },
    ...{
      telemetry: context.telemetry,
      nonce: () => randomBytes(8),
      concurrency: context.settings.concurrency,
    },
  };
  const evidence = { globalTableReplica: options.globalTableReplica === true };
  return async (to, records) => {
    if (where.stack === undefined) await where.table.get(anyKey);
    const read = records.map((record, index) => ({
      id: String(index),
      says: readStreamRecord(names, record, evidence),
    }));
    const failures = await (to === 'Archive' ? archiveBatch(archiving, read) : propagateBatch(context, read));
    await propagations.take([]);
    return answerOf(failures);
  };
}

function queueOf({ stack, connection: { sqs } }: Where, propagations: InProcessPropagation) {
  if (stack === undefined) return propagations.context.queue;
  const { FanOutQueueUrl: queueUrl, DeadLetterQueueUrl: deadLetterQueueUrl } = stack;
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
  readonly globalTableReplica?: true;
}
