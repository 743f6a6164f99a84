import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test, vi } from 'vitest';
import { freePort } from '../../src/dev/local-server.ts';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { Random } from '../../src/examples/random.ts';
import { startDev } from '../cli/denorm.ts';
import { newFolder } from '../suites/new-folder.ts';

/** So often is `denorm dev` killed while applications write. */
const kills = 3;
const users = ['1', '2'];
const servers = ['1', '2', '3'];
let folder: string;
let port: number;

beforeEach(async () => {
  folder = newFolder();
  port = await freePort();
});

/** The launcher, the worker, a watchdog and the embedded server, by what only they are called with. */
function processes(): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(`--port ${port} `)).map((line) => Number.parseInt(line, 10));
}

/** Ends all of them at once, without a chance to put anything in order. */
async function killAll(): Promise<void> {
  // A server may just have been started when the processes are listed.
  for (let left = processes(); left.length > 0; left = processes()) {
    for (const pid of left) kill(pid);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

test('denorm dev, killed again and again, loses nothing', async () => {
  const random = new Random(1);
  /** By user, names of which no later one is acknowledged: the last of them, if its put is known to be done. */
  const names = new Map<string, string[]>();
  const expiring: string[] = [];
  let version = 0;
  const writeSome = async (): Promise<void> => {
    version += 1;
    const user = random.pick(users);
    const key = { PK: `USER#${user}`, SK: '#METADATA' };
    const username = `name ${version}`;
    const candidates = [...(names.get(user) ?? []), username];
    names.set(user, candidates);
    if (await put({ ...key, Type: 'User', userId: user, username, email: 'a@b.example' }))
      names.set(user, [username]);
    const server = random.pick(servers);
    const location = { GSI1PK: key.PK, GSI1SK: `SERVER#${server}` };
    const seat = { PK: location.GSI1SK, SK: `USER#${user}`, Type: 'Membership' };
    await put({ ...seat, ...location, serverId: server, userId: user, role: 'Member', username: 'stale' });
    const incident = { PK: 'acct_1#inc', SK: `inc_${version}`, ExpiresAt: Math.floor(Date.now() / 1000) };
    if (await put({ ...incident, ID: incident.SK, Title: 'It burns', State: 'OPEN', CreatedAt: 1614194921 }))
      expiring.push(incident.SK);
  };

  for (let life = 0; life <= kills; life += 1) {
    const args = ['--port', String(port), '--db-path', 'data.db', '--state-dir', 'state'];
    const { stdout, stderr } = await startDev(args, folder);
    expect(stdout(), stderr()).toContain(`ready http://127.0.0.1:${port} `);
    for (let writes = random.int(5, 40); writes > 0; writes -= 1) await writeSome();
    if (life < kills) await Promise.all([killAll(), writeSome()]);
  }

  await vi.waitFor(
    async () => {
      const items = await scan();
      for (const [user, candidates] of names) {
        const root = items.find(({ PK }) => PK === `USER#${user}`);
        expect(candidates).toContain(root?.['username']);
        const copies = items.filter(({ Type, userId }) => Type === 'Membership' && userId === user);
        expect(copies.length).toBeGreaterThan(0);
        expect(new Set(copies.map(({ username }) => username))).toEqual(new Set([root?.['username']]));
      }
      expect(items.filter(({ PK }) => PK === 'acct_1#inc')).toEqual([]);
      expect(expiring.filter((incident) => !isArchived(incident))).toEqual([]);
    },
    { timeout: 60_000, interval: 500 },
  );
  expect(expiring.length).toBeGreaterThan(kills);
});

/** @returns whether the put was acknowledged. If not, it may have been done or not. */
async function put(Item: Record<string, unknown>): Promise<boolean> {
  return await withClient((client) => client.send(new PutCommand({ TableName: 'app', Item }))).then(
    () => true,
    () => false,
  );
}

function scan(): Promise<Record<string, unknown>[]> {
  return withClient(async (client) => {
    const items: Record<string, unknown>[] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName: 'app', ConsistentRead: true }))
      items.push(...Items);
    return items;
  });
}

async function withClient<T>(work: (client: DynamoDBDocumentClient) => Promise<T>): Promise<T> {
  const settings = { ...loopbackClientSettings(`http://127.0.0.1:${port}`), maxAttempts: 1 };
  const client = new DynamoDBClient(settings);
  try {
    return await work(DynamoDBDocumentClient.from(client));
  } finally {
    client.destroy();
  }
}

/** Whether a version of this incident is in the archive's folder, as its current or as a last state. */
function isArchived(incident: string): boolean {
  const path = join(folder, 'state/archive/Incident', encodeURIComponent('acct_1#inc'), `${incident}.json`);
  return (
    existsSync(dirname(path)) &&
    readdirSync(dirname(path)).some((name) => join(dirname(path), name).startsWith(path))
  );
}
