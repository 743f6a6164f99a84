import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonTool, toolEnvironment } from '../../scripts/python-tools.ts';
import { type LocalServer, startLocalServer } from '../../src/dev/local-server.ts';
import { startMiniStack } from '../../src/dev/sam/open-for-containers.ts';

/** Servers that `npm run setup:sam` installs. */
export const otherServers = {
  MiniStack: () => startMiniStack(toolEnvironment(), pythonTool('ministack', 'ministack')),
  moto: startMoto,
} as const satisfies Record<string, () => Promise<LocalServer>>;

async function startMoto(): Promise<LocalServer> {
  return startLocalServer({
    name: 'moto',
    program: pythonTool('moto', 'moto_server'),
    folder: await mkdtemp(join(tmpdir(), 'denorm-moto-')),
    deadlineMs: 60_000,
    args: (host, port) => ['--host', host, '--port', String(port)],
  });
}
