import type { ArchiveReport } from '../../model/report.ts';
import { keyJson } from '../options/item-key.ts';
import { styled } from '../output/terminal.ts';

const says: Readonly<Record<ArchiveReport['outcome'], string>> = {
  stored: 'stored in',
  unchanged: 'stands already in',
  final: 'kept as it last was in',
  erased: 'erased from',
  gone: 'left alone: it is gone, or another by now, which its own record stores in',
};

/** One line for one item's way into the archive: kind, key, and what became of it where. */
export function archiveLine({ kind, key, outcome, objectKey }: ArchiveReport): string {
  return `${styled('bold', kind)}  ${keyJson(key)}  ${says[outcome]} ${objectKey}`;
}
