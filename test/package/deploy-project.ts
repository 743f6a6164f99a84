import { join } from 'node:path';
import { inject } from 'vitest';
import { applicationOf } from '../deployed/application.ts';
import { allowFunctions, clientsOf, outputsOf } from '../deployed/stack.ts';
import { samEnvironment } from './sam-environment.ts';
import { succeeds } from './shell.ts';

/** Builds and deploys a project on MiniStack, as its user does, with no more permissions than its template gives. */
export async function deployProject(project: string, stack: string) {
  const emulator = inject('emulator');
  const clients = clientsOf(emulator);
  const shell = samEnvironment(emulator, join(project, 'node_modules/.bin'));
  await succeeds('sam build', project, shell);
  await succeeds('sam deploy --no-confirm-changeset --no-progressbar', project, shell);
  const outputs = await outputsOf(emulator, stack);
  await allowFunctions(clients, outputs);
  return {
    ...{ outputs, shell },
    table: applicationOf(clients.application, outputs.get('TableName') ?? '', ['pk', 'sk']),
    close() {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}
