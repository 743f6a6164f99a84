import { join } from 'node:path';
import type { ForContainers } from '../../develop/dev/sam/open-for-containers.ts';
import { baseImage, envFileName, samLocalInvoke, samProgram } from '../../develop/dev/sam/sam-command.ts';

export interface Invocation {
  readonly stateDir: string;
  readonly name: 'Propagate' | 'FanOut';
  /** Undefined if none was seeded. */
  readonly event: string | undefined;
}

/** The commands to run in another terminal, for this platform. */
export function howToInvoke(
  { bridge, servicesEndpoint }: Pick<ForContainers, 'bridge' | 'servicesEndpoint'>,
  { stateDir, name, event }: Invocation,
): string {
  const seeded = event === undefined ? 'the table has no items of event.json: --seed puts them. ' : '';
  const command = [samProgram(), ...samLocalInvoke(name, event ?? 'event.json', stateDir, bridge)].join(' ');
  return `queue and bucket at ${servicesEndpoint}, in memory; settings for containers in ${join(stateDir, envFileName)}

In another terminal, in this folder, after \`sam build\`; ${seeded}sam pulls ${baseImage()} (some hundred MB) at first, and with --skip-pull-image, offline, uses what the engine has:

  ${command}

It exits 0 even if the function fails: look for "errorType" and for "batchItemFailures" that are not empty.
`;
}
