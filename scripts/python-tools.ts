import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('..', import.meta.url));

/** Each has a virtual environment of its own: they pin different versions of the same packages. */
export const environments = ['sam', 'ministack', 'checkov'] as const;

/** The environment for Python's programs: esbuild for `sam build`. Sends nothing home, and asks nothing. */
export function toolEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: [join(projectFolder, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    SAM_CLI_TELEMETRY: '0',
    PYTHONUTF8: '1',
    ...more,
  };
}
