import type { ArchiveReport } from '../../model/report.ts';
import { keyJson } from '../options/item-key.ts';
import { styled } from '../output/terminal.ts';

const says: Readonly<Record<ArchiveReport['outcome'], string>> = {
  stored: 'stored in',
  unchanged: 'already stored in',
  final: 'last state stored in',
  erased: 'erased from',
  gone: 'gone or changed since, and left to its later record in',
};

/** One line for one item's way into the archive: kind, key, and what became of it where. */
export function archiveLine({ kind, key, outcome, objectKey }: ArchiveReport): string {
  return `${styled('bold', kind)}  ${keyJson(key)}  ${says[outcome]} ${objectKey}`;
}
