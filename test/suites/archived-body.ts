import { readFileSync } from 'node:fs';

/** The body of a version in the archive's folder, which follows a line of metadata. */
export function archivedBody(path: string): string {
  const file = readFileSync(path, 'utf8');
  return file.slice(file.indexOf('\n') + 1);
}
