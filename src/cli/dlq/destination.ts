import { randomBytes } from 'node:crypto';
import { telemetryFor } from '../../dev/dev-functions.ts';
import { deadLetterFolder } from '../../dev/queue/dead-letter-folder.ts';
import { DenormError } from '../../model/basics/errors.ts';
import { nothingPaused, type Pauses } from '../../model/rules/pauses.ts';
import type { DeadLetter, Message } from '../../model/work/message.ts';
import { streamFunctions } from '../../model/work/settings.ts';
import { invokeFunction } from '../../operate/adapters/lambda-functions.ts';
import type { Answer, BatchRedrive } from '../../operate/dead-letters/redrive-batches.ts';
import { drain, InMemoryQueue } from '../../operate/drift/drain.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import { sqsQueue } from '../../worker/adapters/sqs/sqs-queue.ts';
import { readStreamRecord } from '../../worker/adapters/stream-record.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { archiveBatch } from '../../worker/archive/archive-batch.ts';
import { readPauses } from '../../worker/pauses.ts';
import { defaultSettings } from '../../worker/ports.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { propagateBatch } from '../../worker/propagation/propagate-batch.ts';
import { UsageError } from '../errors.ts';
import { openArchive } from '../options/archive.ts';
import type { RulesInForce } from '../options/rules-in-force.ts';
import { openTableServices, type Services } from '../options/services.ts';
import { type PlaceOptions, resumeCommandOn } from '../output/next-command.ts';
import type { Failures } from './open-failures.ts';

export interface RedriveDestination extends Pick<BatchRedrive, 'functionOf' | 'putThrough'> {
  /** Rules whose work nothing here would hold until their pause is over. */
  paused(): Promise<Pauses>;
  deliver(messages: readonly Message[]): Promise<void>;
  close(): void;
}

/**
 * The fan-out queue and the functions in AWS. Without a stack, a batch goes to the function that it names.
 * @throws UsageError `usage.queue` if there are a dead-letter queue to redrive from and no fan-out queue
 */
export function deployedDestination(services: Services): RedriveDestination {
  const { connection, stack, queueUrl, deadLetterQueueUrl } = services;
  if (deadLetterQueueUrl !== undefined && queueUrl === undefined)
    throw new UsageError(
      'usage.queue',
      'Expected --queue-url URL beside --dead-letter-queue-url, got none: name the fan-out queue to send to',
    );
  return {
    functionOf: (name) => functionOf(name, services),
    // The fan-out queue holds what is paused.
    paused: async () => nothingPaused,
    async deliver(messages) {
      if (queueUrl === undefined || deadLetterQueueUrl === undefined) return;
      await sqsQueue({ client: () => connection.sqs, queueUrl, deadLetterQueueUrl }).send(messages);
    },
    async putThrough(to, records, named) {
      const name =
        stack === undefined
          ? named
          : { Propagate: stack.PropagateFunction, Archive: stack.ArchiveFunction }[to];
      return name === undefined ? notArchived(records) : invokeFunction(connection.lambda, name, records);
    },
    close() {},
  };
}

/**
 * Maps the physical name of a function to its role. SAM calls it `<stack>-<logical ID>-<letters>`, with new letters when it is
 * replaced: batches of a replaced function belong to its successor. Other tools may give it any prefix.
 */
function functionOf(name: string, { stack, stackName }: Services) {
  if (stack?.PropagateFunction === name) return 'Propagate';
  if (stack?.ArchiveFunction === name) return 'Archive';
  const [, of, id] = /^(?:(.+)-)?(Propagate|Archive)(?:-[A-Za-z0-9]+)?$/.exec(name) ?? [];
  const isOurs = stack === undefined || of === stackName;
  return isOurs ? streamFunctions.find((one) => one === id) : undefined;
}

/** A batch of `Archive` from before the last archive rule was removed is kept. */
function notArchived(records: readonly unknown[]): Answer {
  const why =
    'nothing is archived any more: remove the batch, or add an archive rule to denorm.config.ts again';
  return { unacknowledged: records.length, why };
}

/** A batch may be about any rule. */
function whilePaused(records: readonly unknown[], rules: readonly string[], options: PlaceOptions): Answer {
  const ends = rules.map((rule) => `\`${resumeCommandOn(rule, options)}\``);
  const why = `nothing here would hold what is paused (${rules.join(', ')}): end that with ${ends.join(' and ')}, or run \`denorm repair\``;
  return { unacknowledged: records.length, why };
}

/** Redriven work is older than any index lag: no recheck. A person is waiting: it gives up after seconds, not an hour. */
const settings = { ...defaultSettings, recheckDelaySeconds: 0, maxAttempts: 4, maxUnavailableSeconds: 15 };

/** Read first, because nothing retries here: if the table is unreachable, work is kept instead of dead-lettered. */
const anyKey = { pk: 'denorm', sk: 'redrive' };

/** What failed in `denorm dev` runs in this process, as its functions would, with all that follows. */
export async function devDestination(
  { options }: Failures,
  { registry, evidence, storageClass }: RulesInForce,
  onDeadLettered: (deadLettered: DeadLetter) => void,
): Promise<RedriveDestination> {
  const services = await openTableServices(options);
  const queue = new InMemoryQueue(systemClock, deadLetterFolder(options.stateDir));
  const telemetry = telemetryFor({ onDeadLettered }, Date.now());
  const context: PropagationContext = {
    registry,
    queue,
    telemetry,
    settings,
    clock: systemClock,
    outOfTime: () => false,
    table: coalescingTable(services.table),
  };
  async function archiving() {
    const { archive } = await openArchive({ stateDir: options.stateDir }, services, storageClass);
    const { concurrency } = settings;
    return {
      registry,
      table: services.table,
      archive,
      queue,
      telemetry,
      clock: systemClock,
      nonce: () => randomBytes(8),
      concurrency,
    };
  }
  const paused = () => readPauses(services.table, registry.table);
  return {
    functionOf: (name) => functionOf(name, services),
    paused,
    async deliver(messages) {
      await services.table.get(anyKey);
      await drain(context, queue, messages);
    },
    async putThrough(to, records) {
      if (to === 'Archive' && registry.archives.length === 0) return notArchived(records);
      await services.table.get(anyKey);
      const held = [...(await paused()).keys()];
      if (to === 'Propagate' && held.length > 0) return whilePaused(records, held, options);
      const read = records.map((record, index) => ({
        id: String(index),
        parsed: readStreamRecord(registry.table, record, evidence),
      }));
      const failures = await (to === 'Archive'
        ? archiveBatch(await archiving(), read)
        : propagateBatch(context, read));
      await drain(context, queue, []);
      const [first] = failures.values();
      return { unacknowledged: failures.size, ...(first instanceof DenormError && { why: first.message }) };
    },
    close: () => services.close(),
  };
}
