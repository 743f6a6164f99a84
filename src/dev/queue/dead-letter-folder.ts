import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { subjectOf } from '../../model/work/message.ts';
import { type DeadLetterReader, readDeadLetter } from '../../operate/dead-letters/dead-letters.ts';
import type { DeadLetterPort } from '../../worker/ports.ts';
import { Folder } from '../folder.ts';

/**
 * The dead-letter queue of local use: a JSON file below `<stateDir>/dead-letters/` for each dead letter, with the body that it would
 * have in SQS. File names sort by time and include the reason. Nothing removes them automatically, and reading one does not hide
 * it. Several processes may use the folder at once.
 */
export interface DeadLetterFolder extends DeadLetterPort, DeadLetterReader {
  /**
   * Adds a body: a dead letter, or a message that failed in all its deliveries.
   * @param at epoch milliseconds. Default: now
   */
  add(body: string, at?: number): Promise<void>;
}

export function deadLetterFolder(stateDir: string): DeadLetterFolder {
  const folder = new Folder(join(stateDir, 'dead-letters'));
  let added = 0;
  async function add(body: string, at = Date.now()): Promise<void> {
    added += 1;
    await folder.write(fileName(body, at, added), body);
  }
  return {
    add,
    async deadLetter(deadLettered) {
      for (const each of deadLettered) await add(JSON.stringify(each));
    },
    async look(take, { onProgress } = {}) {
      let found = 0;
      for (const id of (await folder.names()).filter((name) => name.endsWith('.json'))) {
        const body = await folder.read(id);
        if (body === undefined) continue;
        take({ id, at: timeIn(id), ...readDeadLetter(body.toString()) });
        found += 1;
      }
      onProgress?.(found, found);
      return 0;
    },
    async remove(deadLetters) {
      for (const { id } of deadLetters) await folder.remove(id);
    },
    close: async () => 0,
  };
}

/** The number orders dead letters of the same millisecond. The random suffix keeps processes from overwriting each other's files. */
function fileName(body: string, at: number, added: number): string {
  const time = new Date(at).toISOString().replace(/[^\dTZ]/g, '-');
  const letter = readDeadLetter(body);
  const named = [letter.code, subjectOf(letter)?.rule ?? ''].map((word) =>
    word.replace(/[^\w-]+/g, '-').slice(0, 60),
  );
  const words = named.filter((word) => word !== '');
  return `${[time, String(added).padStart(6, '0'), ...words, randomUUID().slice(0, 8)].join('_')}.json`;
}

/** The time at the start of a dead letter's file name, in epoch milliseconds, or 0. */
function timeIn(file: string): number {
  const [, day, hours, minutes, seconds] = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d-\d{3})Z/.exec(file) ?? [];
  return day === undefined ? 0 : Date.parse(`${day}${hours}:${minutes}:${seconds?.replace('-', '.')}Z`);
}
