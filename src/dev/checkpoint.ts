import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { jsonOrUndefined } from '../model/basics/parse-json.ts';
import type { StreamPort } from '../operate/adapters/dynamodb/stream-port.ts';
import { positionOf, positionsSchema, type SavedPosition } from './event-source/event-source.ts';
import { Folder } from './folder.ts';
import { queuedSchema } from './queue/queue.ts';

/** How often a checkpoint is taken. */
const intervalMs = 1_000;

const checkpointSchema = z.object({
  streamArn: z.string(),
  rules: z.string(),
  positions: positionsSchema,
  messages: z.array(queuedSchema),
});

/** Positions up to which records are acknowledged, and messages left, of one moment: no work is lost between them. */
type Checkpoint = {
  readonly [Name in 'positions' | 'messages']: Readonly<z.output<typeof checkpointSchema>[Name]>;
};

/**
 * The checkpoint of a database file, in a file beside it. It is replaced as a whole, so that a kill leaves the one before.
 * @param rules a text that differs if the rules differ: a checkpoint of other rules, or of another stream, does not count
 */
export function checkpointFile(dbPath: string, stream: StreamPort, rules: string) {
  const folder = new Folder(dirname(dbPath));
  const name = `${basename(dbPath)}.positions.json`;

  async function isPresent(shardId: string, { after, writtenAt }: SavedPosition): Promise<boolean> {
    try {
      const { records } = await stream.records(await stream.iterator(shardId, { at: after }));
      const [found] = records.map(positionOf);
      return found?.after === after && found.writtenAt === writtenAt;
    } catch {
      // The shard or the record is gone. If the stream is unreachable, its reader says so.
      return false;
    }
  }

  return {
    /**
     * The last checkpoint that counts, without positions whose record is no longer in the stream.
     * @param onOther called if there is one that does not count
     */
    async read(onOther?: () => void): Promise<Checkpoint> {
      const text = await folder.read(name);
      const { data } = checkpointSchema.safeParse(jsonOrUndefined(String(text)));
      if (data?.streamArn !== stream.arn || data.rules !== rules) {
        if (text !== undefined) onOther?.();
        return { positions: {}, messages: [] };
      }
      const positions: Record<string, SavedPosition> = {};
      for (const [shardId, position] of Object.entries(data.positions))
        if (await isPresent(shardId, position)) positions[shardId] = position;
      return { positions, messages: data.messages };
    },

    /** @param failed called if one cannot be written, which costs nothing but repeated work */
    keep(take: () => Checkpoint, failed: (error: unknown) => void): { stop(): Promise<void> } {
      let last = '';
      let writing = Promise.resolve();
      const write = (): void => {
        const text = JSON.stringify({ streamArn: stream.arn, rules, ...take() });
        if (text === last) return;
        last = text;
        writing = writing.then(() => folder.write(name, text)).catch(failed);
      };
      const timer = setInterval(write, intervalMs).unref();
      return {
        async stop() {
          clearInterval(timer);
          write();
          await writing;
        },
      };
    },
  };
}
