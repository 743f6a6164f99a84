import { tmpdir } from 'node:os';
import { inject } from 'vitest';
import { type Ran, run } from '../cli/denorm.ts';
import { applicationOf } from './application.ts';
import { clientsOf, environment } from './stack.ts';

/** The emulator, and the stack that all files share. */
export const cloud = inject('cloud');
export const stack = inject('stack');

export const clients = clientsOf(cloud);
export const application = applicationOf(clients.application, stack.table);

/** What the environment of a command that is given the endpoint has to say. */
export const operator: NodeJS.ProcessEnv = {
  ...environment(cloud),
  NODE_EXTRA_CA_CERTS: cloud.certificate,
  AWS_ENDPOINT_URL: undefined,
};

/** Where the commands find the stack. */
export const atStack = ['--stack', stack.name, '--endpoint', cloud.endpoint];

/** The command line as an operator has it. */
export function denorm(...args: readonly string[]): Promise<Ran> {
  return run([...args, ...atStack], tmpdir(), operator);
}
