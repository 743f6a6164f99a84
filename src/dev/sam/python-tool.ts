import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `npm run setup:sam` puts Python's programs. */
export const pythonFolder = fileURLToPath(new URL('../../../.venv-sam', import.meta.url));

/** The path of a program in one of the environments of `npm run setup:sam`, whether it is there or not. */
export function pythonTool(environment: 'sam' | 'ministack', name: string): string {
  return join(
    pythonFolder,
    environment,
    ...(process.platform === 'win32' ? ['Scripts', `${name}.exe`] : ['bin', name]),
  );
}
