import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder in which `npm run setup:sam` installs Python programs. */
export const pythonFolder = fileURLToPath(new URL('../../../.venv-sam', import.meta.url));

/** The path of a program in an environment of `npm run setup:sam`, whether it is installed or not. */
export function pythonTool(environment: 'sam' | 'ministack', name: string): string {
  return join(
    pythonFolder,
    environment,
    ...(process.platform === 'win32' ? ['Scripts', `${name}.exe`] : ['bin', name]),
  );
}
