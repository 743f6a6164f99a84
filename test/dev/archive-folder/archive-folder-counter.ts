/**
 * Run as a process of its own: `archive-folder-counter.ts FOLDER KEY TIMES` counts an object up as often as that, each
 * time on condition that nobody else did meanwhile. Bodies are large, so that being killed while one is written is likely.
 */
import { readFile } from 'node:fs/promises';
import { openArchiveFolder } from '../../../src/dev/archive-folder/archive-folder.ts';
import { pathsOf } from '../../../src/dev/archive-folder/paths.ts';

const [folder = '', key = '', times = '1'] = process.argv.slice(2);
const archive = await openArchiveFolder(folder);
process.stdout.write('counting\n');

for (let counted = 0; counted < Number(times); ) {
  const seen = await archive.head(key);
  const next = 1 + (seen === undefined ? 0 : Number(seen.digest));
  const body = `${String(next)}\n${'x'.repeat(200_000)}`;
  if (await archive.put(key, { body, digest: String(next) }, seen?.etag)) counted += 1;
}

const standing = await readFile(pathsOf(folder, key).object, 'utf8');
process.stdout.write(`counted to ${standing.split('\n')[0]}\n`);
