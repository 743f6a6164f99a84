/** `npm run setup:sam`: the Python side of the project, in `.venv-sam`, from the pins in `requirements/`. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Environment,
  environmentFolder,
  environments,
  pythonTool,
  requirementsFile,
} from './python-tools.ts';

/** Oldest and newest minor version of Python 3 that all pinned packages run on. */
const oldest = 10;
const newest = 13;

interface Python {
  readonly command: string;
  readonly version: string;
}

/** The first Python on PATH that will do: the plain name, or one that says its version. */
function findPython(): Python | undefined {
  const versions = Array.from({ length: newest - oldest + 1 }, (_, index) => `python3.${newest - index}`);
  for (const command of ['python3', 'python', ...versions]) {
    const asked = spawnSync(
      command,
      ['-c', 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])'],
      {
        encoding: 'utf8',
      },
    );
    const [major, minor = 0] = (asked.stdout ?? '').trim().split('.').map(Number);
    if (asked.status === 0 && major === 3 && minor >= oldest && minor <= newest)
      return { command, version: `${major}.${minor}` };
  }
  return undefined;
}

/** What an environment was made from: while it is the same, there is nothing to do. */
function fingerprint(environment: Environment, python: Python): string {
  return createHash('sha256')
    .update(python.version)
    .update(readFileSync(requirementsFile(environment)))
    .digest('hex');
}

/** @returns whether it had to be made */
async function make(environment: Environment, python: Python): Promise<boolean> {
  const folder = environmentFolder(environment);
  const stamp = join(folder, '.made-from');
  const wanted = fingerprint(environment, python);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return false;
  rmSync(folder, { recursive: true, force: true });
  await run(python.command, ['-m', 'venv', folder]);
  const pins = [
    '--require-hashes',
    '--no-deps',
    '--only-binary',
    ':all:',
    '-r',
    requirementsFile(environment),
  ];
  await run(pythonTool(environment, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...pins]);
  writeFileSync(stamp, wanted);
  return true;
}

function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', fail);
    child.on('exit', (code) =>
      code === 0
        ? done()
        : fail(new Error(`Expected \`${command} ${args.join(' ')}\` to succeed, got code ${code}`)),
    );
  });
}

const python = findPython();
if (python === undefined) {
  console.error(
    `Expected a Python from 3.${oldest} to 3.${newest} with venv and pip on PATH, found none: install one ` +
      '(Debian, Ubuntu: `apt install python3 python3-venv`; macOS: `brew install python@3.13`) and run this again.',
  );
  process.exitCode = 2;
} else {
  const started = performance.now();
  const made = await Promise.allSettled(environments.map((environment) => make(environment, python)));
  const reasons = made.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  for (const reason of reasons) console.error(reason);
  if (reasons.length > 0) process.exitCode = 1;
  else {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const what = made.some((one) => one.status === 'fulfilled' && one.value) ? 'made' : 'already there';
    console.log(
      `${environments.join(', ')} in .venv-sam: ${what}, by Python ${python.version}, ${seconds} s`,
    );
  }
}
