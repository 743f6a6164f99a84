import { join } from 'node:path';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { applicationOf } from '../deployed/application.ts';
import { allow, policyOf } from '../deployed/role-policies.ts';
import { clientsOf } from '../deployed/stack.ts';
import { author, comment, post } from './blog/test/items.ts';
import { samEnvironment } from './sam-environment.ts';
import { succeeds } from './shell.ts';

const blog = inject('blog');
const emulator = inject('emulator');
const clients = clientsOf(emulator);
let outputs: ReadonlyMap<string, string>;
let shell: NodeJS.ProcessEnv;

beforeAll(async () => {
  shell = samEnvironment(emulator, join(blog, 'node_modules/.bin'));
  await succeeds('sam build', blog, shell);
  await succeeds('sam deploy --no-confirm-changeset --no-progressbar', blog, shell);
  const described = await clients.cloudFormation.send(new DescribeStacksCommand({ StackName: 'blog-dev' }));
  outputs = new Map(
    described.Stacks?.[0]?.Outputs?.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
  for (const [name, value] of outputs) {
    if (!name.endsWith('Function')) continue;
    const policy = await policyOf(clients, value);
    await allow(clients, policy, policy.statements);
  }
}, 600_000);
afterAll(() => {
  for (const client of Object.values(clients)) client.destroy();
});

describe('the stack of a project that is nobody’s sample', () => {
  test('propagates, with no more than the permissions of its template', async () => {
    const table = applicationOf(clients.application, outputs.get('TableName') ?? '', ['pk', 'sk']);
    const inTime = 120_000;
    await table.put(author, post, { ...comment, author_name: 'A', title: 'E' });
    await table.holds(comment, { title: 'Engines', author_name: 'Ada' }, inTime);

    await table.put({ ...author, name: 'Ada Lovelace' });
    await table.holds(post, { author_name: 'Ada Lovelace' }, inTime);
    await table.holds(comment, { author_name: 'Ada Lovelace' }, inTime);
  });

  test('is proven by `denorm smoke`, which makes items for each of its rules', async () => {
    const said = await succeeds('npx denorm smoke --stack blog-dev --within 120', blog, shell);

    expect(said).toMatch(/^proven +title-on-comments: creation .* change .* removal/m);
    expect(said).toMatch(/ 0 failed, 2 unproven, 0 off of stack blog-dev/);
  }, 240_000);

  test('has the functions that its rules need', () => {
    expect([...outputs.keys()].filter((name) => name.endsWith('Function')).toSorted()).toEqual([
      ...['ArchiveFunction', 'FanOutFunction', 'PropagateFunction', 'SweepFunction', 'VerifyFunction'],
    ]);
  });
});
