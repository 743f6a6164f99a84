import { join } from 'node:path';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { inject } from 'vitest';
import { applicationOf } from '../deployed/application.ts';
import { allow, policyOf } from '../deployed/role-policies.ts';
import { clientsOf } from '../deployed/stack.ts';
import { samEnvironment } from './sam-environment.ts';
import { succeeds } from './shell.ts';

/** Builds and deploys a project on MiniStack, as its user does, with no more permissions than its template gives. */
export async function deployProject(project: string, StackName: string) {
  const emulator = inject('emulator');
  const clients = clientsOf(emulator);
  const shell = samEnvironment(emulator, join(project, 'node_modules/.bin'));
  await succeeds('sam build', project, shell);
  await succeeds('sam deploy --no-confirm-changeset --no-progressbar', project, shell);
  const described = await clients.cloudFormation.send(new DescribeStacksCommand({ StackName }));
  const outputs: ReadonlyMap<string, string> = new Map(
    described.Stacks?.[0]?.Outputs?.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
  for (const [name, value] of outputs) {
    if (!name.endsWith('Function')) continue;
    const policy = await policyOf(clients, value);
    await allow(clients, policy, policy.statements);
  }
  return {
    ...{ outputs, shell },
    table: applicationOf(clients.application, outputs.get('TableName') ?? '', ['pk', 'sk']),
    close() {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}
