import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { jsonOrUndefined } from '../model/basics/parse-json.ts';
import type { StreamPort } from '../operate/adapters/dynamodb/stream-port.ts';
import { type Positions, positionOf, type SavedPosition } from './event-source/event-source.ts';
import { Folder } from './folder.ts';
import type { QueuedMessage } from './queue/queue.ts';

/** Positions up to which records are acknowledged, and messages left, of one moment: no work is lost between them. */
export interface Checkpoint {
  readonly positions: Positions;
  readonly messages: readonly QueuedMessage[];
}

/** How often a checkpoint is taken. */
const intervalMs = 1_000;

const checkpointSchema = z.object({
  streamArn: z.string(),
  rules: z.string(),
  positions: z.record(z.string(), z.object({ after: z.string(), writtenAt: z.number() })),
  messages: z.array(
    z.object({
      body: z.string(),
      messageId: z.string(),
      receiveCount: z.int().min(0),
      dueAt: z.number(),
      delayed: z.boolean(),
    }),
  ),
});

/** The checkpoint of a database file, in a file beside it. It is replaced as a whole, so that a kill leaves the one before. */
export class CheckpointFile {
  readonly #folder: Folder;
  readonly #name: string;
  readonly #stream: StreamPort;
  readonly #rules: string;

  /** @param rules a text that differs if the rules differ: a checkpoint of other rules, or of another stream, does not count */
  constructor(dbPath: string, stream: StreamPort, rules: string) {
    this.#folder = new Folder(dirname(dbPath));
    this.#name = `${basename(dbPath)}.positions.json`;
    this.#stream = stream;
    this.#rules = rules;
  }

  /**
   * The last checkpoint that counts, without positions whose record is no longer in the stream.
   * @param onOther called if there is one that does not count
   */
  async read(onOther?: () => void): Promise<Checkpoint> {
    const text = await this.#folder.read(this.#name);
    const { data } = checkpointSchema.safeParse(jsonOrUndefined(String(text)));
    if (data?.streamArn !== this.#stream.arn || data.rules !== this.#rules) {
      if (text !== undefined) onOther?.();
      return { positions: {}, messages: [] };
    }
    const positions: Record<string, SavedPosition> = {};
    for (const [shardId, position] of Object.entries(data.positions))
      if (await this.#isPresent(shardId, position)) positions[shardId] = position;
    return { positions, messages: data.messages };
  }

  async #isPresent(shardId: string, { after, writtenAt }: SavedPosition): Promise<boolean> {
    try {
      const { records } = await this.#stream.records(await this.#stream.iterator(shardId, { at: after }));
      const [found] = records.map(positionOf);
      return found?.after === after && found.writtenAt === writtenAt;
    } catch {
      // The shard or the record is gone. If the stream is unreachable, its reader says so.
      return false;
    }
  }

  /** @param failed called if one cannot be written, which costs nothing but repeated work */
  keep(take: () => Checkpoint, failed: (error: unknown) => void): { stop(): Promise<void> } {
    let last = '';
    let writing = Promise.resolve();
    const write = (): void => {
      const text = JSON.stringify({ streamArn: this.#stream.arn, rules: this.#rules, ...take() });
      if (text === last) return;
      last = text;
      writing = writing.then(() => this.#folder.write(this.#name, text)).catch(failed);
    };
    const timer = setInterval(write, intervalMs).unref();
    return {
      async stop() {
        clearInterval(timer);
        write();
        await writing;
      },
    };
  }
}
