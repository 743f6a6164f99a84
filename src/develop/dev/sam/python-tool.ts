import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const pythonFolderName = '.venv-sam';

/** The path of a program in an environment of `denorm setup-sam`, whether it is installed or not. */
export function pythonTool(environment: string, name: string): string {
  return programIn(join(pythonFolder(), environment), name);
}

export function programIn(environment: string, name: string): string {
  return join(environment, ...(process.platform === 'win32' ? ['Scripts', `${name}.exe`] : ['bin', name]));
}

/** In the working folder, or the nearest above it; otherwise that of this checkout. */
function pythonFolder(): string {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const path = join(folder, pythonFolderName);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) break;
  }
  return fileURLToPath(new URL(`../../../../${pythonFolderName}`, import.meta.url));
}
