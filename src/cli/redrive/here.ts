import { randomBytes } from 'node:crypto';
import { coalescingTable } from '../../adapters/dynamodb/coalescing-table.ts';
import { sqsQueue } from '../../adapters/sqs/sqs-queue.ts';
import { readStreamRecord } from '../../adapters/stream-record.ts';
import { DenormError } from '../../model/errors.ts';
import type { Parked } from '../../model/message.ts';
import type { ArchiveEngine } from '../../archive/archive-item.ts';
import { archiveBatch } from '../../archive/archive-batch.ts';
import type { Engine } from '../../propagation/context.ts';
import { propagateBatch } from '../../propagation/propagate-batch.ts';
import type { Answer, BatchRedrive } from '../../dead-letters/redrive-batches.ts';
import { table as names } from '../../table.ts';
import { openArchive } from '../options/archive-where.ts';
import type { RedriveOptions } from './where.ts';
import { rulesInForce } from '../options/rules-in-force.ts';
import { type TurnsAtHand, turnsAtHand } from './in-process.ts';
import type { Where } from '../options/where.ts';

/** Read before a batch whose retries nobody else would take: it is kept where the table is out of reach, and not parked. */
const anyKey = { pk: 'denorm', sk: 'redrive' };

/**
 * Puts records through the functions' work in this process. What it queues goes to the stack's queue where one was named,
 * and is done here otherwise before the records count as acknowledged.
 * @param stateDir where what is parked goes, where there is no stack
 */
export async function putThroughHere(
  where: Where,
  options: RedriveOptions,
  stateDir: string | undefined,
  onParked: (parked: Parked) => void,
): Promise<BatchRedrive['putThrough']> {
  const { registry } = await rulesInForce(where, options);
  const { archive } = await openArchive(options, where);
  const table = coalescingTable(where.table, registry.table);
  const turns = turnsAtHand({ registry, table, stateDir, onParked });
  const queue = queueOf(where, turns);
  const engine: Engine = { ...turns.engine, queue };
  const archiving: ArchiveEngine = {
    ...{ registry, table: where.table, archive, queue },
    ...{ telemetry: engine.telemetry, nonce: () => randomBytes(8), concurrency: engine.settings.concurrency },
  };
  const evidence = { globalTableReplica: options.globalTableReplica === true };
  return async (to, records) => {
    if (where.stack === undefined) await where.table.get(anyKey);
    const read = records.map((record, index) => ({
      id: String(index),
      says: readStreamRecord(names, record, evidence),
    }));
    const failures = await (to === 'Archive' ? archiveBatch(archiving, read) : propagateBatch(engine, read));
    await turns.take([]);
    return answerOf(failures);
  };
}

function queueOf({ stack, connection: { sqs } }: Where, turns: TurnsAtHand) {
  if (stack === undefined) return turns.engine.queue;
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
