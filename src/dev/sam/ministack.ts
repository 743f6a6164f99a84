import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalError, messageOf } from '../errors.ts';
import { type LocalServer, startLocalServer } from '../local-server.ts';

/** Maximum time until MiniStack answers. It usually takes 2 to 5 seconds. */
const deadlineMs = 60_000;

/**
 * Starts the emulator of AWS, with everything in memory.
 * @param environment of the emulator, which gets its own variables too
 * @param program default: the one on PATH
 * @throws LocalError `sam.no-ministack` if it is not installed, or does not answer
 */
export async function startMiniStack(
  environment: NodeJS.ProcessEnv,
  program = 'ministack',
): Promise<LocalServer> {
  const folder = await mkdtemp(join(tmpdir(), 'denorm-ministack-'));
  try {
    return await startLocalServer({
      name: 'MiniStack',
      program,
      folder,
      deadline: deadlineMs,
      healthPath: '/_ministack/health',
      args: () => [],
      env: (host, port) => ({ ...environment, BIND_HOST: host, GATEWAY_PORT: String(port), TMPDIR: folder }),
    });
  } catch (error) {
    const last = messageOf(error).split('\n').at(-1);
    throw new LocalError(
      'sam.no-ministack',
      `Expected MiniStack, the emulator of AWS, to start by \`${program}\`, and it did not (${last}): install it by \`pipx install ministack\`.`,
      error,
    );
  }
}
