import { join } from 'node:path';
import { localRegion } from '../../dev/loopback.ts';
import type { ForContainers } from '../../dev/sam/open-for-containers.ts';
import { baseImage, envFileName, samLocalInvoke } from '../../dev/sam/sam-command.ts';
import { counted } from '../../model/basics/text.ts';

/** What runs, how an application or a command in another terminal reaches it, and how it ends. */
export function welcome(rules: number, endpoint: string, table: string, stateDir: string): string {
  return `
${counted(rules, 'rule')} of denorm.config.ts on table ${table}; for an application, AWS CLI or denorm in another terminal:

  export AWS_ENDPOINT_URL=${endpoint} AWS_REGION=${localRegion} AWS_DEFAULT_REGION=${localRegion} AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local

archive, dead letters and failed batches are in ${stateDir}
Ctrl-C ends
`;
}

/**
 * The commands to run in another terminal, for this platform.
 * @param events the seeded ones, of which the first is invoked
 */
export function howToInvoke(
  { bridge, servicesEndpoint }: Pick<ForContainers, 'bridge' | 'servicesEndpoint'>,
  stateDir: string,
  name: string,
  [event]: readonly string[],
): string {
  const seeded = event === undefined ? 'the table has no items of event.json: --seed puts them. ' : '';
  return `queue and bucket at ${servicesEndpoint}, in memory; settings for containers in ${join(stateDir, envFileName)}

In another terminal, in this folder, after \`sam build\`; ${seeded}sam pulls ${baseImage()} (some hundred MB) at first, and with --skip-pull-image, offline, uses what the engine has:

  ${['sam', ...samLocalInvoke(name, event ?? 'event.json', stateDir, bridge)].join(' ')}

It exits 0 even if the function fails: look for "errorType" and for "batchItemFailures" that are not empty.
`;
}
