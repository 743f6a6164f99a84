import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('..', import.meta.url));

/** Each has a virtual environment of its own: they pin different versions of the same packages. */
export const environments = ['sam', 'ministack', 'checkov', 'moto'] as const;

export const pythonFolder = join(projectFolder, '.venv-sam');

/** The path of a program that `npm run setup:sam` installs, whether it is there or not. */
export function pythonTool(environment: (typeof environments)[number], name: string): string {
  return programIn(join(pythonFolder, environment), name);
}

const isWindows = process.platform === 'win32';

export function programIn(environment: string, name: string): string {
  return join(environment, isWindows ? join('Scripts', `${name}.exe`) : join('bin', name));
}

/** The environment for Python's programs: these, and esbuild for `sam build`, are on the path. Sends nothing home, and asks nothing. */
export function toolEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const programs = [pythonTool('sam', 'sam'), pythonTool('ministack', 'ministack')].map(dirname);
  return {
    ...process.env,
    PATH: [join(projectFolder, 'node_modules/.bin'), ...programs, process.env['PATH']].join(delimiter),
    SAM_CLI_TELEMETRY: '0',
    PYTHONUTF8: '1',
    ...more,
  };
}
