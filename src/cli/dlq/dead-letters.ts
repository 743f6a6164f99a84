import { type Command, Option } from 'commander';
import { deadLetterFolderReader } from '../../develop/dev/queue/dead-letter-folder.ts';
import type { ItemKey } from '../../model/item.ts';
import type { DeadLetter, Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { sqsDeadLetterReader } from '../../operate/adapters/sqs/dead-letters.ts';
import { stackOutputs } from '../../operate/adapters/stack-outputs.ts';
import type { DeadLetterReader, Look } from '../../operate/dead-letters/dead-letter.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import { sqsQueue } from '../../worker/adapters/sqs/sqs-queue.ts';
import { namedConnection } from '../../worker/environment.ts';
import { UsageError } from '../errors.ts';
import { type Interruption, interruption } from '../interruption.ts';
import { localRules, type RulesOptions, rulesInForce } from '../options/rules-in-force.ts';
import { meansDevEnvironment, orDevEnvironment, type StageOptions, staged } from '../options/stage.ts';
import {
  openConnection,
  openWhere,
  queuesOf,
  type WhereOptions,
  withQueues,
  withWhere,
} from '../options/where.ts';
import { progressBar } from '../output/terminal.ts';
import { counted } from '../output/text.ts';
import { inProcessPropagation } from '../redrive/in-process.ts';

export interface DeadLettersOptions extends WhereOptions {
  readonly stateDir: string;
}

/** Adds the options that name the dead-letter queue or folder. */
export function withDeadLettersOptions(command: Command): Command {
  return withQueues(withWhere(command)).addOption(
    new Option(
      '--state-dir <dir>',
      'without a stack or queue: the folder in which `denorm dev` keeps its dead letters',
    ).default('.denorm'),
  );
}

/** A way to redrive messages. */
export interface Delivery {
  /** The destination, for messages to people. */
  readonly to: string;
  deliver(messages: readonly Message[]): Promise<void>;
}

/** The dead letters that a command works on. */
export interface OpenDeadLetters {
  readonly reader: DeadLetterReader;
  /** The URL of the queue or the path of the folder, for messages to people. */
  readonly name: string;
  /** The rules that the propagations run with. */
  rules(options: RulesOptions): Promise<Registry>;
  /**
   * Opens the destination for redriven messages.
   * @param probe a key to read first, so that an unreachable table is reported before anything changes
   */
  delivery(
    registry: Registry,
    probe: ItemKey,
    onDeadLettered: (deadLettered: DeadLetter) => void,
  ): Promise<Delivery>;
  readonly interruption: Interruption;
}

/**
 * Opens the dead letters and runs the work. Afterwards, even if the work fails, makes the received messages
 * visible again.
 */
export async function withDeadLetters<Result>(
  asked: DeadLettersOptions,
  work: (deadLetters: OpenDeadLetters) => Promise<Result>,
): Promise<Result> {
  const stopping = interruption();
  const given = await orDevEnvironment(asked);
  const options = await staged(given);
  const { close, ...deadLetters } = meansDevEnvironment(options)
    ? ofDevEnvironment({ ...namedConnection(), ...options }, given)
    : await ofQueues({ ...namedConnection(), ...options });
  try {
    return await work({ ...deadLetters, interruption: stopping });
  } finally {
    const hidden = await deadLetters.reader.close();
    if (hidden > 0)
      console.error(
        `denorm: could not make ${counted(hidden, 'dead letter')} visible again: SQS does so within five minutes`,
      );
    close();
    stopping.end();
  }
}

type Opened = Omit<OpenDeadLetters, 'interruption'> & { close(): void };

async function ofQueues(options: DeadLettersOptions): Promise<Opened> {
  const connection = openConnection(options);
  const stack =
    options.stack === undefined ? undefined : await stackOutputs(connection, options.stack).catch(closing);
  const { queueUrl, deadLetterQueueUrl } = queuesOf(options, stack);
  if (deadLetterQueueUrl === undefined)
    return closing(
      new UsageError(
        'usage.queue',
        'Expected --dead-letter-queue-url URL, --stack NAME or a stage with one, got none of them: name the dead-letter queue',
      ),
    );
  const client = connection.sqs;
  function closing(error: unknown): never {
    connection.close();
    throw error;
  }
  return {
    reader: sqsDeadLetterReader({ client, queueUrl: deadLetterQueueUrl }),
    name: deadLetterQueueUrl,
    async delivery() {
      if (queueUrl === undefined)
        throw new UsageError(
          'usage.queue',
          'Expected --queue-url URL beside --dead-letter-queue-url, got none: name the fan-out queue to send to',
        );
      const queue = sqsQueue({ client, queueUrl, deadLetterQueueUrl });
      return { to: queueUrl, deliver: (messages) => queue.send(messages) };
    },
    rules: async (asked) => (await rulesInForce({ connection, stack }, asked)).registry,
    close: () => connection.close(),
  };
}

/**
 * Commands cannot reach the queue of `denorm dev`, which might not be running. Propagations run in this
 * process, on the same table.
 */
function ofDevEnvironment(options: DeadLettersOptions, { stage }: StageOptions): Opened {
  const { endpoint = 'http://127.0.0.1:8000', stateDir } = options;
  const opened: { close(): void }[] = [];
  return {
    reader: deadLetterFolderReader(stateDir),
    name: `${stateDir}/dead-letters`,
    async delivery(registry, probe, onDeadLettered) {
      const where = await openWhere({ ...options, endpoint });
      opened.push(where);
      await where.table.get(probe);
      const table = coalescingTable(where.table, registry.table);
      const propagations = inProcessPropagation({ registry, table, stateDir, onDeadLettered });
      return { to: `${where.tableName} at ${endpoint}`, deliver: propagations.take };
    },
    rules: (asked) => localRules({ ...asked, ...(stage !== undefined && { stage }) }),
    close() {
      for (const one of opened) one.close();
    },
  };
}

/**
 * Reads all dead letters, with a progress bar if this takes long, and warns if there are more than it can
 * receive.
 */
export async function lookAtAll({ reader, interruption: { asked } }: OpenDeadLetters): Promise<Look> {
  const bar = progressBar({ label: 'receive', unit: 'dead letters' });
  try {
    const look = await reader.look({
      stop: asked,
      onFound: (found, about) => bar.update(found, `of about ${about}`),
    });
    bar.stop();
    if (look.unseen > 0)
      console.error(
        `denorm: could not receive about ${counted(look.unseen, 'dead letter')} more: ${asked() ? 'the command was stopped' : 'another reader holds them, so try again in five minutes'}`,
      );
    return look;
  } finally {
    bar.stop();
  }
}
