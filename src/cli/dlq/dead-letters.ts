import { type Command, Option } from 'commander';
import { coalescingTable } from '../../adapters/dynamodb/coalescing-table.ts';
import { sqsDeadLetterReader } from '../../adapters/sqs/dead-letters.ts';
import { sqsQueue } from '../../adapters/sqs/sqs-queue.ts';
import type { ItemKey } from '../../model/item.ts';
import type { Message, Parked } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { DeadLetterReader, Look } from '../../dead-letters/dead-letter-reader.ts';
import { deadLetterFolderReader } from '../../dev/queue/dead-letter-folder-reader.ts';
import { loadRules } from '../../rules/index.ts';
import { counted } from '../output/counted.ts';
import { type Interruption, interruption } from '../interruption.ts';
import { progressBar } from '../output/progress.ts';
import { type RulesOptions, rulesInForce } from '../options/rules-in-force.ts';
import { turnsAtHand } from '../redrive/in-process.ts';
import { openWhere, type WhereOptions, withWhere } from '../options/where.ts';

export interface LettersOptions extends WhereOptions {
  readonly stateDir: string;
}

/** Adds the options that say whose dead letters. */
export function withLettersOptions(command: Command): Command {
  return withWhere(command).addOption(
    new Option('--state-dir <dir>', 'without --stack: where `denorm dev` keeps its dead letters').default(
      '.denorm',
    ),
  );
}

/** A way for messages to be worked on again. */
export interface Delivery {
  /** To where, for people. */
  readonly to: string;
  deliver(messages: readonly Message[]): Promise<void>;
}

/** The dead letters that a command works on. */
export interface Letters {
  readonly reader: DeadLetterReader;
  /** Where they lie, for people. */
  readonly name: string;
  /** The rules of whoever takes the turns. */
  rules(options: RulesOptions): Promise<Registry>;
  /** Opens the way back. @param probe a key that is read first, so that a table out of reach is told before anything is done */
  delivery(registry: Registry, probe: ItemKey, onParked: (parked: Parked) => void): Promise<Delivery>;
  readonly interruption: Interruption;
}

/** Opens the dead letters, works on them, and gives back what was looked at, however it ends. */
export async function withLetters<Result>(
  options: LettersOptions,
  work: (letters: Letters) => Promise<Result>,
): Promise<Result> {
  const stopping = interruption();
  const { close, ...letters } = options.stack === undefined ? ofDesk(options) : await ofStack(options);
  try {
    return await work({ ...letters, interruption: stopping });
  } finally {
    const hidden = await letters.reader.close();
    if (hidden > 0)
      console.error(`denorm: ${counted(hidden, 'letter')} could not be given back: back within five minutes`);
    close();
    stopping.end();
  }
}

type Opened = Omit<Letters, 'interruption'> & { close(): void };

async function ofStack(options: LettersOptions): Promise<Opened> {
  const { stack, connection, close } = await openWhere(options);
  if (stack === undefined) throw new Error('A stack was named');
  const { FanOutQueueUrl: queueUrl, DeadLetterQueueUrl: deadLetterQueueUrl } = stack;
  const client = connection.sqs;
  return {
    reader: sqsDeadLetterReader({ client, queueUrl: deadLetterQueueUrl }),
    name: deadLetterQueueUrl,
    async delivery() {
      const queue = sqsQueue({ client, queueUrl, deadLetterQueueUrl });
      return { to: queueUrl, deliver: (messages) => queue.send(messages) };
    },
    rules: async (asked) => (await rulesInForce({ connection, stack }, asked)).registry,
    close,
  };
}

/** There is no way into the queue of `denorm dev`, which may not run at all: turns are taken here, on the same table. */
function ofDesk(options: LettersOptions): Opened {
  const { endpoint = 'http://127.0.0.1:8000', stateDir } = options;
  const opened: { close(): void }[] = [];
  return {
    reader: deadLetterFolderReader(stateDir),
    name: `${stateDir}/dead-letters`,
    async delivery(registry, probe, onParked) {
      const where = await openWhere({ ...options, endpoint });
      opened.push(where);
      await where.table.get(probe);
      const table = coalescingTable(where.table, registry.table);
      const turns = turnsAtHand({ registry, table, stateDir, onParked });
      return { to: `${where.tableName} at ${endpoint}`, deliver: turns.take };
    },
    rules: async ({ statusShards = 1 }) => loadRules({ statusShards, disabled: [] }),
    close() {
      for (const one of opened) one.close();
    },
  };
}

/** Looks at all letters, with a bar where that takes long, and says where there are more than can be seen. */
export async function lookAtAll({ reader, interruption: { asked } }: Letters): Promise<Look> {
  const bar = progressBar({ label: 'looking', unit: 'letters' });
  try {
    const look = await reader.look({
      stop: asked,
      onFound: (found, about) => bar.update(found, `of about ${about}`),
    });
    bar.stop();
    if (look.unseen > 0)
      console.error(
        `denorm: about ${counted(look.unseen, 'letter')} more could not be seen: ${asked() ? 'the look was cut short' : 'somebody else looks at them; try again in five minutes'}`,
      );
    return look;
  } finally {
    bar.stop();
  }
}
