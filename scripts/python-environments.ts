import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DenormError } from '../src/model/basics/errors.ts';
import { environments, programIn, projectFolder, pythonFolder } from './python-tools.ts';

/** Oldest and newest minor version of Python 3 that all pinned packages run on. */
const oldest = 10;
const newest = 13;

interface Python {
  readonly command: string;
  readonly version: string;
}

/**
 * Installs the environments of Python's programs into `.venv-sam`. The pins are in `requirements`, with a hash for each file.
 * @returns the names of those that had to be made; the others were there
 * @throws DenormError `sam.no-python` if there is no Python that will do, `sam.not-installed` if pip fails
 */
export async function makePythonEnvironments(): Promise<readonly string[]> {
  const python = findPython();
  if (python === undefined)
    throw new DenormError(
      'sam.no-python',
      `Expected a Python from 3.${oldest} to 3.${newest} with venv and pip on PATH, found none: install one ` +
        '(Debian, Ubuntu: `apt install python3 python3-venv`; macOS: `brew install python@3.13`) and run this again',
    );
  const made: string[] = [];
  for (const name of environments)
    try {
      if (await make(name, join(pythonFolder, name), python)) made.push(name);
    } catch (error) {
      throw new DenormError(
        'sam.not-installed',
        `Expected ${name} to be installed in ${pythonFolder}, but pip failed: see the output above`,
        { cause: error },
      );
    }
  return made;
}

/** The first Python on PATH that will do: the plain name, or one that says its version. */
function findPython(): Python | undefined {
  const versions = Array.from({ length: newest - oldest + 1 }, (_, index) => `python3.${newest - index}`);
  const script = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])';
  for (const command of ['python3', 'python', ...versions]) {
    const asked = spawnSync(command, ['-c', script], { encoding: 'utf8' });
    const [major, minor = 0] = (asked.stdout ?? '').trim().split('.').map(Number);
    if (asked.status === 0 && major === 3 && minor >= oldest && minor <= newest)
      return { command, version: `${major}.${minor}` };
  }
  return undefined;
}

/** @returns whether it had to be made */
async function make(name: string, folder: string, python: Python): Promise<boolean> {
  const requirements = join(projectFolder, 'requirements', `${name}.txt`);
  const stamp = join(folder, '.made-from');
  // While it was made from the same, there is nothing to do.
  const wanted = createHash('sha256').update(python.version).update(readFileSync(requirements)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return false;
  rmSync(folder, { recursive: true, force: true });
  await run(python.command, ['-m', 'venv', folder]);
  const pins = ['--require-hashes', '--no-deps', '--only-binary', ':all:', '-r', requirements];
  await run(programIn(folder, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...pins]);
  writeFileSync(stamp, wanted);
  return true;
}

function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', fail);
    child.on('exit', (code) =>
      code === 0 ? done() : fail(new Error(`\`${command} ${args.join(' ')}\` ended with code ${code}`)),
    );
  });
}
