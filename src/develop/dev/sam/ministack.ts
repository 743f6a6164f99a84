import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOfFunctions } from '../../../worker/environment.ts';
import { LocalError, messageOf } from '../errors.ts';
import { type LocalServer, startLocalServer } from '../local-server.ts';
import { pythonTool } from './python-tool.ts';

/** Maximum time until MiniStack answers, in milliseconds. It usually takes 2 to 5 seconds. */
const deadline = 60_000;

/**
 * @param gatewayPort the port of 127.0.0.1 where the functions that it runs find it. Default: it runs none
 * @throws LocalError `sam.no-ministack` if it is not installed, `server.not-started` if it does not answer
 */
export async function startMiniStack(gatewayPort?: number): Promise<LocalServer> {
  const program = pythonTool('ministack', 'hypercorn');
  if (!existsSync(program))
    throw new LocalError(
      'sam.no-ministack',
      'Expected MiniStack, the emulator of AWS, in .venv-sam, which is not there: run `npx denorm setup-sam`.',
    );
  const folder = await mkdtemp(join(tmpdir(), 'denorm-ministack-'));
  try {
    return await startLocalServer({
      ...{ name: 'MiniStack', program, folder, deadline, healthPath: '/_ministack/health' },
      ...(gatewayPort !== undefined && { env: environmentOfFunctions(gatewayPort, folder) }),
      args: (host, port) => ['ministack.app:app', '--workers', '0', '--bind', `${host}:${port}`],
    });
  } catch (error) {
    const last = messageOf(error).split('\n').at(-1);
    throw new LocalError(
      'server.not-started',
      `Expected MiniStack to start, and it did not (${last}): run \`npx denorm setup-sam\` again.`,
    );
  }
}
