import {
  type DeadLetterContent,
  type DeadLetterReader,
  type FoundDeadLetter,
  readDeadLetter,
} from '../../dead-letters/dead-letter.ts';
import { type DeadLetterFolder, deadLetterFolder, type FolderDeadLetter } from './dead-letter-folder.ts';

/** The dead letters of `denorm dev` as an operator reads them. Nothing is hidden by looking at it. */
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

/** The time that the name of a dead letter's file begins with; the beginning of time where it does not. */
function timeIn(file: string): number {
  const [, day, hours, minutes, seconds] = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)/.exec(file) ?? [];
  return day === undefined ? 0 : Date.parse(`${day}${hours}:${minutes}:${seconds}Z`);
}
