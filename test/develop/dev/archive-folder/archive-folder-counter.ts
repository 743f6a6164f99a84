/**
 * A separate process: `archive-folder-counter.ts FOLDER KEY TIMES` increments the number in an object, on condition
 * that no other process has changed it. Bodies are large, so that a kill is likely to interrupt a write.
 */
import { openArchiveFolder } from '../../../../src/develop/dev/archive-folder/archive-folder.ts';

const [folder = '', key = '', times = '1'] = process.argv.slice(2);
const archive = await openArchiveFolder(folder);
process.stdout.write('counting\n');

for (let counted = 0; counted < Number(times); ) {
  const seen = await archive.head(key);
  const next = 1 + (seen === undefined ? 0 : Number(seen.digest));
  const body = `${String(next)}\n${'x'.repeat(200_000)}`;
  if (await archive.put(key, { body, digest: String(next) }, seen?.etag)) counted += 1;
}
