import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { StackSettings } from '../../../deploy/stack-settings.ts';
import { type Guard, startGuard } from '../table/guard.ts';
import { type ContainerReach, containerReach } from './container-reach.ts';
import { type Forward, forwardToLoopback } from './forward.ts';
import { startLocalServices } from './local-services.ts';
import { runProgram } from './run.ts';
import { envFile, envFileText } from './sam-command.ts';

export interface ForContainersOptions {
  /** The table's endpoint on this machine. */
  readonly endpoint: string;
  readonly tableName: string;
  /** Folder for the env file. */
  readonly stateDir: string;
  readonly stack: StackSettings;
}

/** A table, queue and bucket that containers can reach. */
export interface ForContainers {
  readonly reach: ContainerReach;
  /** The endpoint of queue and bucket on this machine. */
  readonly servicesEndpoint: string;
  /** Rejects if queue and bucket have ended unexpectedly. */
  readonly failed: Promise<never>;
  /** Ends all services, and removes the env file. */
  close(): Promise<void>;
}

/**
 * Starts queue and bucket beside a table, makes all three reachable from containers, and writes the env file
 * for `sam local invoke`. Listens only on loopback and on the engine's bridge.
 * @throws LocalError if a requirement is missing; then nothing is left running
 */
export async function openForContainers(options: ForContainersOptions): Promise<ForContainers> {
  const { endpoint, tableName, stateDir, stack } = options;
  const reach = await containerReach(process.platform, runProgram);
  const ministack = await startLocalServices(stack);
  let guard: Guard | undefined;
  const forwards: Forward[] = [];
  const path = envFile(stateDir);
  let closing = false;
  const close = async () => {
    closing = true;
    await rm(path, { force: true });
    for (const forward of forwards) await forward.close();
    await guard?.close();
    await ministack.stop();
  };
  try {
    guard = await startGuard(ministack.endpoint, 0);
    const [tablePort, servicesPort] = [portOf(endpoint), portOf(guard.endpoint)];
    if (reach.bridge !== undefined)
      for (const each of [tablePort, servicesPort])
        forwards.push(await forwardToLoopback(reach.bridge, each));
    await mkdir(stateDir, { recursive: true });
    await writeFile(path, envFileText({ tableName, port: tablePort, ministackPort: servicesPort }));
  } catch (error) {
    await close();
    throw error;
  }
  const { promise: failed, reject } = Promise.withResolvers<never>();
  ministack.ended.then(() => {
    if (!closing) reject(new Error('MiniStack has ended by itself: start again'));
  });
  failed.catch(() => {});
  return { reach, servicesEndpoint: guard.endpoint, failed, close };
}

function portOf(endpoint: string): number {
  const { port, protocol } = new URL(endpoint);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
