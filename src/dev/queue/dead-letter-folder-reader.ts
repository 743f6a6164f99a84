import { type FoundLetter, type LetterContent, readLetter } from '../../dead-letters/dead-letter.ts';
import type { DeadLetterReader } from '../../dead-letters/dead-letter-reader.ts';
import { type DeadLetter, type DeadLetterFolder, deadLetterFolder } from './dead-letter-folder.ts';

/** The dead letters of `denorm dev` as an operator reads them. Nothing is hidden by looking at it. */
export function deadLetterFolderReader(folder: string): DeadLetterReader {
  const letters: DeadLetterFolder = deadLetterFolder(folder);
  return {
    async look({ onFound } = {}) {
      const found = (await letters.list()).map(
        ({ file, letter }): FoundLetter => ({
          id: file,
          at: letter === undefined ? timeIn(file) : Date.parse(letter.at),
          content: contentOf(letter),
        }),
      );
      onFound?.(found.length, found.length);
      return { letters: found, unseen: 0 };
    },
    remove: (done) => letters.remove(done.map(({ id }) => id)),
    close: async () => 0,
  };
}

function contentOf(letter: DeadLetter | undefined): LetterContent {
  switch (letter?.kind) {
    case 'parked':
      return { is: 'parked', parked: letter.parked };
    case 'dead':
      return readLetter(letter.body);
    case undefined:
      return { is: 'unreadable' };
  }
}

/** The time that the name of a letter's file begins with; the beginning of time where it does not. */
function timeIn(file: string): number {
  const [, day, hours, minutes, seconds] = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)/.exec(file) ?? [];
  return day === undefined ? 0 : Date.parse(`${day}${hours}:${minutes}:${seconds}Z`);
}
