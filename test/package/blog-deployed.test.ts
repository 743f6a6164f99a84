import { delimiter, join } from 'node:path';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findNode } from '../../bin/node-24.mjs';
import { projectFolder } from '../../scripts/python-tools.ts';
import { allow, policyOf } from '../deployed/role-policies.ts';
import { clientsOf, environment } from '../deployed/stack.ts';
import { until } from '../deployed/until.ts';
import { succeeds } from './shell.ts';

const blog = inject('blog');
const emulator = inject('emulator');
const clients = clientsOf(emulator);
let outputs: ReadonlyMap<string, string>;

beforeAll(async () => {
  const path = [
    join(blog, 'node_modules/.bin'),
    join(projectFolder, '.venv-sam/sam/bin'),
    join(findNode()?.path ?? process.execPath, '..'),
    process.env['PATH'],
  ].join(delimiter);
  const shell = { ...environment(emulator), PATH: path, SAM_CLI_TELEMETRY: '0', PYTHONUTF8: '1' };
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
    const post = { pk: 'post#1', sk: 'post' };
    const comment = { pk: 'post#1', sk: 'comment#1' };
    const author = { pk: 'author#ada', sk: 'profile', _type: 'author', name: 'Ada' };
    await put(
      author,
      {
        ...{ ...post, _type: 'post', author_id: 'ada', author_name: 'Ada', title: 'Engines' },
        ...{ status: 'published', published_at: '2026-01-15T09:30:00Z' },
        ...{ author_pk: 'author#ada', author_sk: 'post#2026-01-15' },
      },
      {
        ...{ ...comment, _type: 'comment', author_id: 'ada', author_name: 'A', title: 'E' },
        ...{ text: 'Thanks', author_pk: 'author#ada', author_sk: 'comment#1' },
      },
    );
    await holds(comment, { title: 'Engines', author_name: 'Ada' });

    await put({ ...author, name: 'Ada Lovelace' });
    await holds(post, { author_name: 'Ada Lovelace' });
    await holds(comment, { author_name: 'Ada Lovelace' });
  });

  test('has the functions that its rules need', () => {
    expect([...outputs.keys()].filter((name) => name.endsWith('Function')).toSorted()).toEqual([
      ...['ArchiveFunction', 'FanOutFunction', 'PropagateFunction', 'SweepFunction', 'VerifyFunction'],
    ]);
  });
});

async function put(...items: readonly Record<string, unknown>[]): Promise<void> {
  for (const Item of items)
    await clients.application.send(new PutCommand({ TableName: outputs.get('TableName'), Item }));
}

async function holds(Key: Record<string, unknown>, attributes: Record<string, unknown>): Promise<void> {
  const command = new GetCommand({ TableName: outputs.get('TableName'), Key, ConsistentRead: true });
  await until(
    `${JSON.stringify(Key)} has ${JSON.stringify(attributes)}`,
    async () => {
      const { Item = {} } = await clients.application.send(command);
      return Object.entries(attributes).every(([name, value]) => Item[name] === value);
    },
    120_000,
  );
}
