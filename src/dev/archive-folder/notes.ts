import type { ArchiveNotes } from '../../archive/ports.ts';
import { fromFolder, readIfThere, writeWhole } from './files.ts';
import { inProgress, pathsOf } from './paths.ts';

/** Notes beside an archive that is a folder. */
export function folderNotes(folder: string): ArchiveNotes {
  return {
    async read(noteKey) {
      try {
        return (await readIfThere(pathsOf(folder, noteKey).object))?.toString();
      } catch (error) {
        throw fromFolder(error, `read notes in the folder '${folder}'`);
      }
    },
    async write(noteKey, text) {
      try {
        await writeWhole(pathsOf(folder, noteKey).object, text, inProgress(folder));
      } catch (error) {
        throw fromFolder(error, `write notes in the folder '${folder}'`);
      }
    },
  };
}
