import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { jsonOrUndefined } from '../../model/parse-json.ts';
import type { Positions } from './event-source/checkpoint.ts';
import { Folder } from './folder.ts';
import type { QueuedMessage } from './queue/queue.ts';

/**
 * What a dev environment continues with: the positions up to which records are acknowledged, and the messages that resulted and
 * are left. Both of one moment, so that no work is lost between them.
 */
export interface Checkpoint {
  readonly positions: Positions;
  readonly messages: readonly QueuedMessage[];
}

/** How often a checkpoint is taken, in milliseconds. */
const interval = 1_000;

const checkpointSchema = z.object({
  streamArn: z.string(),
  rules: z.string(),
  positions: z.record(z.string(), z.record(z.string(), z.object({ after: z.string(), digest: z.string() }))),
  messages: z.array(
    z.object({
      ...{ body: z.string(), messageId: z.string(), receiveCount: z.int().min(0) },
      ...{ dueAt: z.number(), delayed: z.boolean() },
    }),
  ),
});

/** The checkpoint of a database file, in a file beside it. It is replaced as a whole, so that a kill leaves the one before. */
export class CheckpointFile {
  readonly #folder: Folder;
  readonly #name: string;
  readonly #owner: { readonly streamArn: string; readonly rules: string };

  /** @param owner what a checkpoint belongs to: that of another stream or of other rules does not count */
  constructor(dbPath: string, owner: { readonly streamArn: string; readonly rules: string }) {
    this.#folder = new Folder(dirname(dbPath));
    this.#name = `${basename(dbPath)}.positions.json`;
    this.#owner = owner;
  }

  /** The last checkpoint; undefined if there is none that counts. */
  async read(): Promise<Checkpoint | undefined> {
    const text = await this.#folder.read(this.#name);
    const { data } = checkpointSchema.safeParse(jsonOrUndefined(String(text)));
    const isOwn = data?.streamArn === this.#owner.streamArn && data.rules === this.#owner.rules;
    return isOwn ? data : undefined;
  }

  /**
   * Writes checkpoints from now on.
   * @param take returns the checkpoint of this moment
   * @param failed called if one cannot be written, which costs nothing but repeated work
   */
  keep(take: () => Checkpoint, failed: (error: unknown) => void): { stop(): Promise<void> } {
    let last = '';
    let writing = Promise.resolve();
    const write = (): void => {
      const text = JSON.stringify({ ...this.#owner, ...take() });
      if (text === last) return;
      last = text;
      writing = writing.then(() => this.#folder.write(this.#name, text)).catch(failed);
    };
    const timer = setInterval(write, interval).unref();
    return {
      async stop() {
        clearInterval(timer);
        write();
        await writing;
      },
    };
  }
}
