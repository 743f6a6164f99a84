import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { environmentUnder } from '../bin/node-24.mjs';
import { newFolder } from './suites/new-folder.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      ...{ integrity: z.string().optional(), resolved: z.string().optional() },
      link: z.boolean().optional(),
    }),
  ),
});

let folder: string;

beforeEach(() => {
  folder = newFolder();
  mkdirSync(join(folder, 'test'));
});

describe('package.json', () => {
  const versions = z.record(z.string(), z.string());
  const manifest = z
    .object({ dependencies: versions, optionalDependencies: versions, devDependencies: versions })
    .parse(JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')));
  const installed = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies });

  test('names ranges for what users install, and exact versions for development', () => {
    expect(installed.filter(([, version]) => !/^[~^]\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(
      Object.entries(manifest.devDependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
    ).toEqual([]);
  });

  test.each(['@aws-sdk', '@aws-lambda-powertools'])('names one range for all of %s', (scope) => {
    const ranges = installed.filter(([name]) => name.startsWith(`${scope}/`)).map(([, version]) => version);

    expect(ranges.length).toBeGreaterThan(1);
    expect(new Set(ranges).size).toBe(1);
  });
});

describe('package-lock.json', () => {
  test('has the digest of every package, and names no address to fetch one from', () => {
    const { packages } = lockSchema.parse(
      JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')),
    );
    // The others are the project itself and its folder scripts/node-24, to which there is a link.
    const installed = Object.entries(packages).filter(
      ([name, { link }]) => name.includes('node_modules/') && link !== true,
    );

    expect(installed.length).toBeGreaterThan(50);
    expect(installed.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''))).toEqual([]);
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});

describe('node-24', () => {
  test('runs a script under Node 24 or newer with its arguments, and exits with its code', async () => {
    const script = write(
      'script.ts',
      `const major: number = Number(process.versions.node.split('.')[0]);
       console.log(major >= 24, ...process.argv.slice(2));
       process.exit(7);`,
    );

    expect(await ended(node24(script, 'a', '--b'))).toEqual({ code: 7, stdout: 'true a --b\n', stderr: '' });
  });

  test('gives programs that the script starts the same Node', () => {
    const PATH = ['/usr/local/bin', '/usr/bin'].join(delimiter);
    const installed = '/opt/node-24/bin/node';

    expect(environmentUnder(installed, { PATH })['PATH']).toBe([dirname(installed), PATH].join(delimiter));
    expect(environmentUnder(process.execPath, { PATH })['PATH']).toBe(PATH);
  });

  test('passes a signal on, and waits for the script to end', async () => {
    const script = write(
      'script.ts',
      `process.on('SIGTERM', () => setTimeout(() => process.exit(3), 50));
       setInterval(() => {}, 1000);
       console.log('up');`,
    );
    const launcher = node24(script);
    launcher.stdout.once('data', () => launcher.kill('SIGTERM'));

    expect(await ended(launcher)).toMatchObject({ code: 3 });
  });

  test('exits with 128 + the number of the signal that ended the script', async () => {
    const script = write('script.ts', `process.kill(process.pid, 'SIGKILL');`);

    expect(await ended(node24(script))).toMatchObject({ code: 137 });
  });

  test('runs the bin of an installed package', async () => {
    expect(await ended(node24('vitest', '--version'))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^vitest\//),
    });
  });

  test('reports a missing script', async () => {
    expect(await ended(node24('no-such-script'))).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Expected a script or an installed package with a bin, got "no-such-script".\n',
    });
  });
});

describe('the closing line of a test run', () => {
  test.each([
    ['tests that pass', `test('a', () => {}); test('b', () => {});`, '2 passed, 0 failed', 0],
    ['a file without tests', 'export {};', '0 passed, 1 failed', 1],
    ['tests that are all skipped', `test.skip('a', () => {});`, '0 passed, 1 failed, 1 skipped', 1],
    [
      'a hook of a suite beside a test',
      `describe('a', () => { afterAll(() => { throw new Error('no'); }); test('b', () => expect(1).toBe(2)); });`,
      '0 passed, 2 failed',
      1,
    ],
    [
      'a rejection that nobody handles beside a test',
      `test('a', () => { void Promise.reject(new Error('no')); expect(1).toBe(2); });`,
      '0 passed, 2 failed',
      1,
    ],
    [
      'a worker that dies beside its tests',
      `test('a', () => { process.kill(process.pid, 'SIGKILL'); }); test('b', () => {});`,
      '0 passed, 3 failed',
      1,
    ],
  ])('counts %s', async (_, source, line, code) => {
    write('test/a.test.ts', source);

    const run = await ended(vitest());

    expect({ line: run.stdout.split('\n').slice(-2), code: run.code }).toEqual({ line: [line, ''], code });
  });

  test('counts a run without files as failed', async () => {
    const run = await ended(vitest());

    expect(run.stdout).toMatch(/(^|\n)0 passed, 1 failed\n$/);
    expect(run.code).toBe(1);
  });

  test('counts a run of no planted bug as failed', async () => {
    const run = await ended(node24('test/simulation/play-planted.ts', 'no such bug'));

    expect(run.stdout).toMatch(/^Expected the name of a planted bug, .*\n0 passed, 1 failed\n$/);
    expect(run.code).toBe(1);
  });
});

function write(name: string, source: string): string {
  const path = join(folder, name);
  writeFileSync(path, source);
  return path;
}

function node24(...args: string[]) {
  return spawn(process.execPath, [join(repository, 'bin/node-24.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: repository,
  });
}

/** A run over the test's own folder, with the project's configuration. */
function vitest() {
  return node24(
    'vitest',
    'run',
    '--globals',
    '--config',
    join(repository, 'vitest.config.ts'),
    '--root',
    folder,
  );
}

async function ended(child: ReturnType<typeof node24>) {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((done) => child.on('close', done));
  return { code, stdout, stderr };
}
