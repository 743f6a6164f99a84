import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CreateTableCommand, DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, inject, onTestFinished, test } from 'vitest';
import { projectFolder } from '../../scripts/python-tools.ts';
import { applicationOf } from '../deployed/application.ts';
import { clientsOf, outputsAllowed } from '../deployed/stack.ts';
import { samEnvironment } from './sam-environment.ts';
import { outside, shell } from './shell.ts';

const page = readFileSync(join(projectFolder, 'docs/adopt.md'), 'utf8');
/** The commands of the page in their order, each block with the lines that its output must have. */
const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```\n(?:```\n([\s\S]*?)```\n)?/g)].map(
  ([, commands = '', output = '']) => ({ commands: lines(commands), output: lines(output) }),
);
const TableName = 'app';

test('a table that another application has filled is adopted, as the page says', async () => {
  const { folder, remove } = outside();
  onTestFinished(remove);
  const emulator = inject('emulator');
  const clients = clientsOf(emulator);
  onTestFinished(() => {
    for (const client of Object.values(clients)) client.destroy();
  });
  symlinkSync(join(inject('empty'), 'node_modules'), join(folder, 'node_modules'));
  const table = await filledTable();
  // `cd` and `export` count for all commands behind them.
  const setUp: string[] = [];
  const ran: string[] = [];
  let [install, streamArn] = ['', ''];

  async function run(command: string): Promise<string> {
    if (/^(cd|export) /.test(command)) {
      setUp.push(command);
      return '';
    }
    if (command.startsWith('aws ')) return await aws(command);
    const whole = command
      .replace(/^npm install.*/, `${install} --prefer-offline`)
      .replace('<that ARN>', streamArn)
      .replace(/^sam deploy/, '$& --no-confirm-changeset --no-progressbar');
    const { code, stdout, stderr } = await shell(
      ['set -e', ...setUp, whole].join('\n'),
      folder,
      samEnvironment(emulator),
    );
    // It finds what the application has left wrong.
    const expected = command.startsWith('npx denorm verify --table') ? 1 : 0;
    expect({ command, code }, `${stdout}\n${stderr}`).toEqual({ command, code: expected });
    if (command.includes(' pull ')) [, install = ''] = /^ {2}(npm install .*)$/m.exec(stdout) ?? [];
    if (command.startsWith('sam deploy')) await outputsAllowed(emulator, 'my-app-prod');
    if (command.startsWith('npx denorm verify --stack')) await follows();
    return stdout;
  }

  for (const { commands, output } of blocks) {
    let all = '';
    for (const command of commands) {
      ran.push(command.split(' ').slice(0, 3).join(' '));
      all += await run(command);
    }
    for (const line of output) expect(lines(all)).toContain(line);
  }
  expect(ran).toEqual(
    expect.arrayContaining(['npx stream-denormalizer pull', 'sam deploy --config-env', 'npx denorm pause']),
  );

  /** In place of the AWS CLI, which CI lacks. */
  async function aws(command: string): Promise<string> {
    expect(command).toContain(` --table-name ${TableName} `);
    if (command.startsWith('aws dynamodb describe-table')) {
      const { Table } = await clients.dynamoDb.send(new DescribeTableCommand({ TableName }));
      streamArn = Table?.LatestStreamArn ?? expect.fail('no stream');
      return streamArn;
    }
    expect(command).toMatch(
      /^aws dynamodb update-table .* StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES$/,
    );
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
    await clients.dynamoDb.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    return '';
  }

  async function filledTable() {
    const names = ['PK', 'SK', 'GSI1PK', 'GSI1SK'];
    const keys = (PK: string, SK: string) =>
      [
        { AttributeName: PK, KeyType: 'HASH' },
        { AttributeName: SK, KeyType: 'RANGE' },
      ] as const;
    await clients.dynamoDb.send(
      new CreateTableCommand({
        ...{ TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: [...keys('PK', 'SK')] },
        AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        GlobalSecondaryIndexes: [
          {
            ...{ IndexName: 'GSI1', KeySchema: [...keys('GSI1PK', 'GSI1SK')] },
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      }),
    );
    const filled = applicationOf(clients.application, TableName);
    await filled.putMany(items());
    return filled;
  }

  /** The backfill has corrected what differed, and a change propagates. */
  async function follows(): Promise<void> {
    expect(await table.get(membership(3, 1))).toMatchObject({ username: 'Grace' });
    await table.set({ PK: 'USER#7', SK: 'PROFILE' }, { username: 'Ada' });
    await table.holds(membership(7, 1), { username: 'Ada' }, 120_000);
  }
}, 600_000);

/** Forty users, three servers and two memberships of each user; one user was renamed on the profile alone. */
function items() {
  const users = Array.from({ length: 40 }, (_, index) => index + 1);
  return [
    ...users.map((n) => ({
      ...{ PK: `USER#${n}`, SK: 'PROFILE', Type: 'User', email: `u${n}@example.com` },
      username: n === 3 ? 'Grace' : `Person ${n}`,
    })),
    ...users.flatMap((n) => [membership(n, 1), membership(n, 2)]),
    ...[1, 2, 3].map((n) => ({ PK: `SERVER#${n}`, SK: 'SERVER', Type: 'Server', title: `Game ${n}` })),
  ];
}

function membership(user: number, server: number) {
  return {
    ...{ PK: `SERVER#${server}`, SK: `USER#${user}`, Type: 'Membership', username: `Person ${user}` },
    ...{ role: user % 5 === 0 ? 'owner' : 'reader', GSI1PK: `USER#${user}`, GSI1SK: `SERVER#${server}` },
  };
}

/** Without comments and empty ones. */
function lines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/ +#.*$/, '').trimEnd())
    .filter((line) => line !== '');
}
