import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path of a template with this text, in a folder. */
export function written(folder: string, text: string): string {
  const path = join(folder, 'template.yaml');
  writeFileSync(path, text);
  return path;
}
