import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { deadLetterSchema } from '../../../model/message.ts';
import { jsonOrUndefined } from '../../../model/parse-json.ts';
import {
  type DeadLetterContent,
  type DeadLetterReader,
  type FoundDeadLetter,
  readDeadLetter,
} from '../../../operate/dead-letters/dead-letter.ts';
import { codeOf, fromFolder, readIfThere, writeWhole } from '../archive-folder/files.ts';

const folderDeadLetterSchema = z.discriminatedUnion('kind', [
  /** A message that a propagation dead-lettered, with its reason. */
  z.object({ kind: z.literal('dead-lettered'), at: z.iso.datetime(), deadLettered: deadLetterSchema }),
  /** A message that failed in all its deliveries, with any body. */
  z.object({
    kind: z.literal('dead'),
    at: z.iso.datetime(),
    messageId: z.string(),
    receiveCount: z.int(),
    body: z.string(),
  }),
]);

export type FolderDeadLetter = z.output<typeof folderDeadLetterSchema>;

/** A dead letter with its file's name; `deadLetter` is undefined if the file contains something else. */
export interface FiledDeadLetter {
  readonly file: string;
  readonly deadLetter: FolderDeadLetter | undefined;
}

/**
 * The dead-letter queue of local use: one JSON file for each dead letter below `<folder>/dead-letters/`. File names
 * sort by time and include the reason. Nothing removes them automatically.
 */
export interface DeadLetterFolder {
  /** Returns when the dead letter is stored. Throws `TransientError` or `FatalError` if it cannot be. */
  add(deadLetter: FolderDeadLetter): Promise<void>;
  /** All dead letters, oldest first. */
  list(): Promise<readonly FiledDeadLetter[]>;
  /** Deletes dead letters by file name. Ignores missing files. */
  remove(files: readonly string[]): Promise<void>;
}

export function deadLetterFolder(folder: string): DeadLetterFolder {
  const path = join(folder, 'dead-letters');
  let added = 0;
  return {
    async add(deadLetter) {
      added += 1;
      try {
        const file = join(path, fileName(deadLetter, added));
        await writeWhole(file, `${JSON.stringify(deadLetter, undefined, 2)}\n`, join(path, '.in-progress'));
      } catch (error) {
        throw fromFolder(error, `add to the dead letters in '${path}'`);
      }
    },
    async list() {
      try {
        const files = (await readdir(path)).filter((file) => file.endsWith('.json')).sort();
        const listed: FiledDeadLetter[] = [];
        // One at a time, to limit the number of open files. Another process may remove one in the meantime.
        for (const file of files) {
          const body = await readIfThere(join(path, file));
          if (body !== undefined) listed.push({ file, deadLetter: deadLetterIn(body.toString()) });
        }
        return listed;
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return [];
        throw fromFolder(error, `list the dead letters in '${path}'`);
      }
    },
    async remove(files) {
      try {
        for (const file of files) await rm(join(path, file), { force: true });
      } catch (error) {
        throw fromFolder(error, `remove dead letters from '${path}'`);
      }
    },
  };
}

/**
 * The number orders dead letters of the same millisecond. The random suffix keeps processes from overwriting
 * each other's files.
 */
function fileName(deadLetter: FolderDeadLetter, added: number): string {
  const time = deadLetter.at.replace(/[^\dTZ]/g, '-');
  const number = String(added).padStart(6, '0');
  const about =
    deadLetter.kind === 'dead-lettered'
      ? [deadLetter.deadLettered.code, deadLetter.deadLettered.message?.rule ?? '']
      : [deadLetter.kind];
  const words = about.map((word) => word.replace(/[^\w-]+/g, '-').slice(0, 60)).filter((word) => word !== '');
  return `${[time, number, ...words, randomUUID().slice(0, 8)].join('_')}.json`;
}

function deadLetterIn(text: string): FolderDeadLetter | undefined {
  return folderDeadLetterSchema.safeParse(jsonOrUndefined(text)).data;
}

/** The dead letters of `denorm dev` as an operator reads them. Unlike SQS, reading one does not hide it. */
export function deadLetterFolderReader(folder: string): DeadLetterReader {
  const deadLetters: DeadLetterFolder = deadLetterFolder(folder);
  return {
    async look({ onFound } = {}) {
      const found = (await deadLetters.list()).map(
        ({ file, deadLetter }): FoundDeadLetter => ({
          id: file,
          at: deadLetter === undefined ? timeIn(file) : Date.parse(deadLetter.at),
          content: contentOf(deadLetter),
        }),
      );
      onFound?.(found.length, found.length);
      return { deadLetters: found, unseen: 0 };
    },
    remove: (done) => deadLetters.remove(done.map(({ id }) => id)),
    close: async () => 0,
  };
}

function contentOf(deadLetter: FolderDeadLetter | undefined): DeadLetterContent {
  switch (deadLetter?.kind) {
    case 'dead-lettered':
      return { is: 'dead-lettered', deadLettered: deadLetter.deadLettered };
    case 'dead':
      return readDeadLetter(deadLetter.body);
    case undefined:
      return { is: 'unreadable' };
  }
}

/** The time at the start of a dead letter's file name, or 0. */
function timeIn(file: string): number {
  const [, day, hours, minutes, seconds] = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)/.exec(file) ?? [];
  return day === undefined ? 0 : Date.parse(`${day}${hours}:${minutes}:${seconds}Z`);
}
