import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { freePort } from '../../../src/dev/local-server.ts';
import { table } from '../../../src/table.ts';
import { archivedBody } from '../../suites/archived-body.ts';
import { serverOfTest } from '../../suites/loopback-server.ts';
import { newFolder } from '../../suites/new-folder.ts';
import {
  commandOf,
  isAlive,
  processBelow,
  run,
  start,
  startBelowShell,
  startDev,
  startInBackground,
  until,
} from '../denorm.ts';
import { incident, membership, membershipKey, participation, user } from '../items.ts';
import { stagedProject } from '../staged-project.ts';

function application(at: number | string, name = 'app'): ApplicationTable {
  const endpoint = typeof at === 'string' ? at : `http://127.0.0.1:${at}`;
  const opened = new ApplicationTable(endpoint, name, table);
  onTestFinished(() => opened.close());
  return opened;
}

const embeddedServer = /^\S*dynoxide serve/;

async function follows(at: number | string): Promise<void> {
  const app = application(at);
  await app.put(user);
  await app.put(membership);
  await until(
    async () => (await app.get(membershipKey))?.username === user.username,
    'the membership has the name of its user',
  );
}

describe('denorm dev', () => {
  test('has the table and the port of the stage `dev`, if the config has one', async () => {
    const port = await freePort();
    const project = stagedProject({ dev: { endpoint: `http://127.0.0.1:${port}`, table: 'mine' } });

    const dev = start(['dev', '--no-page'], project, { DENORM_CONFIG: '' });
    await until(() => dev.stdout().includes('ready ') || dev.process.exitCode !== null, 'the ready line');

    expect(dev.stdout()).toMatch(new RegExp(`^ready http://127.0.0.1:${port} table mine\n`));
  });

  test('reports that it is ready, updates copies, and prints one line for each propagation', async () => {
    const port = await freePort();
    const dev = await startDev(['--port', String(port)], newFolder());

    expect(dev.stdout()).toMatch(new RegExp(`^ready http://127.0.0.1:${port} table app\n`));
    await follows(port);
    await until(
      () =>
        /username-on-memberships {2}\{"PK":"USER#1","SK":"#METADATA"\} {2}(changed|check) {2}1 written {2}\d+ ms\n/.test(
          dev.stdout(),
        ),
      'the line of the propagation',
    );
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'ends with 0 on %s, and its server ends with it',
    async (signal) => {
      const port = await freePort();
      const dev = await startDev(['--port', String(port)], newFolder());
      const server = processBelow(dev.process.pid, embeddedServer);
      expect(isAlive(server)).toBe(true);
      dev.process.kill(signal);

      expect(await dev.exited).toBe(0);
      await until(() => !isAlive(server), 'the server is gone');
    },
  );

  test('ends with 0 however late another SIGINT comes', async () => {
    const port = await freePort();
    const dev = await startDev(['--port', String(port)], newFolder());
    const command = commandOf(dev);
    const repeated = setInterval(() => isAlive(command) && process.kill(command, 'SIGINT'), 1);

    expect(await dev.exited).toBe(0);
    clearInterval(repeated);
  });

  test('does no work without its worker', async () => {
    const cwd = newFolder();
    const port = await freePort();
    const dev = await startDev(['--port', String(port), '--no-worker'], cwd);
    const app = application(port);
    await app.put(membership);
    await app.put(user);
    await until(() => dev.stdout().includes('Ctrl-C ends'), 'what to paste');
    const [, pasted = ''] = /^ {2}export (.+)$/m.exec(dev.stdout()) ?? [];
    const environment = Object.fromEntries(pasted.split(' ').map((word) => word.split('=')));

    expect(await run(['verify', '--grace', '0'], cwd, environment)).toMatchObject({ code: 1 });
    expect(dev.stdout()).toMatch(
      new RegExp(`^ready http://127.0.0.1:${port} table app\n\n11 rules of denorm.config.ts on table app`),
    );
  });

  test.each([
    ['without a worker', [], ['--no-worker']],
    ['on another table', [], ['--table', 'other']],
    ['on the table of one without a worker', ['--no-worker'], []],
  ])('runs beside another %s', async (_, of, and) => {
    const port = String(await freePort());
    await startDev(['--no-check', '--port', port, ...of], newFolder());
    const args = ['--no-check', '--endpoint', `http://127.0.0.1:${port}`, ...and];
    const dev = await startDev(args, newFolder());

    expect(dev.stdout()).toMatch(new RegExp(`^ready http://127.0.0.1:${port} table `));
  });

  test.runIf(process.platform === 'linux')(
    'reports in one sentence that --sam needs a container engine',
    async () => {
      const { code, stdout, stderr } = await run(
        ['dev', '--sam', '--port', String(await freePort())],
        newFolder(),
        {
          PATH: '/nowhere',
        },
      );

      expect(stderr).toMatch(/^denorm: sam\.no-engine: Expected a container engine .+: start Docker, .+\n$/);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    },
  );

  test('ends, and its server with it, when a shell between npx and it is killed', async () => {
    const port = await freePort();
    const cwd = newFolder();
    const shell = startBelowShell(['dev', '--port', String(port)], cwd);
    await until(() => shell.stdout().includes('ready '), 'the ready line');
    const server = processBelow(shell.process.pid, embeddedServer);
    shell.process.kill('SIGKILL');

    await until(() => !isAlive(server), 'the server is gone');
  });

  test('outlives the shell that started it in the background, and its hang-up, if it has no terminal', async () => {
    const cwd = newFolder();
    const port = await freePort();
    const shell = startInBackground(['dev', '--port', String(port)], cwd);
    await shell.exited;
    const pid = Number(shell.stdout());
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    const log = () => readFileSync(join(cwd, 'log'), 'utf8');
    await until(() => log().includes('ready '), 'the ready line');
    process.kill(pid, 'SIGHUP');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await follows(port);
    process.kill(pid, 'SIGTERM');

    await until(() => log().includes('denorm: ends because of SIGTERM'), 'the reason of its end');
  });

  test('captures the newest event of each sort, ready to be replayed', async () => {
    const cwd = newFolder();
    const port = await freePort();
    await startDev(['--port', String(port), '--capture', 'events'], cwd);
    await follows(port);
    const file = join('events', 'propagate-user-insert.json');
    const explained = await run(['explain', file, '--endpoint', `http://127.0.0.1:${port}`], cwd);

    expect(JSON.parse(readFileSync(join(cwd, file), 'utf8')).Records).toHaveLength(1);
    expect(readdirSync(join(cwd, 'events'))).toEqual(
      expect.arrayContaining(['propagate-membership-insert.json', 'propagate-membership-modify.json']),
    );
    expect(explained).toMatchObject({ code: 0, stdout: expect.stringContaining('username-on-memberships') });
  });

  test('archives expiring items and dead-letters below the configured folder', async () => {
    const cwd = newFolder();
    const port = await freePort();
    await startDev(['--port', String(port), '--state-dir', 'state'], cwd);
    const app = application(port);
    await app.put({
      PK: 'USER#9',
      SK: 'PROFILE',
      Type: 'UserProfile',
      Email: 'a@example.com',
      ExpiresAt: 4102444800,
    });
    await app.put({ ...incident, State: undefined });
    await app.put(participation);

    await until(
      () => existsSync(join(cwd, 'state/archive/UserProfile/USER%239/PROFILE.json/@00000001')),
      'the archive object',
    );
    expect(archivedBody(join(cwd, 'state/archive/UserProfile/USER%239/PROFILE.json/@00000001'))).toContain(
      '"a@example.com"',
    );
    await until(() => existsSync(join(cwd, 'state/dead-letters')), 'the dead letter');
  });

  test('runs without a worker and a page, beside the worker of another, until it is stopped', async () => {
    const port = await freePort();
    await startDev(['--no-check', '--port', String(port)], newFolder());
    const at = ['--endpoint', `http://127.0.0.1:${port}`];
    const second = await startDev([...at, '--no-check', '--no-worker'], newFolder());
    await until(() => second.stdout().includes('Ctrl-C ends'), 'the last line of its start');
    await follows(port);
    second.process.kill('SIGTERM');

    expect(await second.exited).toBe(0);
  });
});

describe('denorm dev refuses in one sentence, with 2,', () => {
  test('a port that is in use', async () => {
    const cwd = newFolder();
    const { port } = new URL((await serverOfTest(() => ({ status: 404 }))).endpoint);
    const { code, stderr } = await run(['dev', '--port', port, '--db-path', 'app.db'], cwd);

    expect(code).toBe(2);
    expect(readdirSync(cwd)).toEqual([]);
    expect(stderr).toMatch(
      /^denorm: server\.port-in-use: Expected port \d+ of 127\.0\.0\.1 to be free.*--port\.\n$/,
    );
  });

  test('a database file that another has, unless that was killed', async () => {
    const cwd = newFolder();
    const args = async () => ['--port', String(await freePort()), '--db-path', 'app.db'];
    const [first, second] = [await args(), await args()];
    const dev = await startDev(first, cwd);
    const pid = commandOf(dev);
    const { code, stdout, stderr } = await run(['dev', ...second, '--state-dir', 'other'], cwd);

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      `denorm: server.db-in-use: Expected no other dev environment on app.db, found that of process ${pid} on port ${first[1]}: use it, end it, or choose another file with --db-path.\n`,
    );
    expect(existsSync(join(cwd, 'other'))).toBe(false);
    process.kill(pid, 'SIGKILL');
    await dev.exited;
    const next = await startDev(second, cwd);
    expect(next.stdout()).toContain('ready ');
    next.process.kill('SIGTERM');
    expect(await next.exited).toBe(0);
    expect(existsSync(join(cwd, 'app.db.lock'))).toBe(false);
  });

  test('a table that has the worker of another', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    await startDev(['--no-check', '--port', new URL(endpoint).port], newFolder());
    const cwd = newFolder();
    const { code, stdout, stderr } = await run(['dev', '--endpoint', endpoint], cwd);

    expect({ code, stdout, kept: readdirSync(cwd) }).toEqual({ code: 2, stdout: '', kept: [] });
    expect(stderr).toBe(
      `denorm: table.has-worker: Expected no other worker on the table app at ${endpoint}, found that of the \`denorm dev\` that serves it: use that one, or leave out yours by --no-worker\n`,
    );
  });

  test.each([
    ['an endpoint that is not on this machine', ['--endpoint', 'http://10.0.0.1:8000'], /this machine/],
    ['an endpoint with a port', ['--endpoint', 'http://127.0.0.1:1', '--port', '2'], /--endpoint alone/],
    ['an invalid port', ['--port', 'http'], /port from 1 to 65535/],
    ['a data file that cannot be created', ['--db-path', '/proc/none/data.db'], /--db-path/],
    ['a folder below a file', ['--state-dir', 'file/below'], /file\/below/],
    ['an unknown option', ['--colour'], /--colour/],
  ])('%s', async (_, args, why) => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'file'), '');
    const port =
      args.includes('--endpoint') || args.includes('--port') ? [] : ['--port', String(await freePort())];
    const { code, stdout, stderr } = await run(['dev', ...port, ...args], cwd);

    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(why);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

test('denorm without a command prints its help', async () => {
  const { code, stdout, stderr } = await run([], newFolder());

  expect(code).toBe(2);
  expect(stdout + stderr).toContain('Usage: denorm');
});
