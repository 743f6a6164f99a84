import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode } from '../../bin/node-24.mjs';

/** What the image is called in the engine. */
export const imageName = 'localhost/denorm-nodejs24';

/** AWS's own client of Lambda's runtime API for Node.js, which finds, runs and answers for a handler as Lambda does. */
const runtimeClient = {
  package: 'aws-lambda-ric@4.0.2',
  integrity:
    'sha512-FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ==',
} as const;

/**
 * Puts together the root of a small image that runs Node.js functions, where AWS's own cannot be pulled: npm's Node 24
 * with the libraries that it is linked with, busybox as shell, and AWS's runtime client. Needs npm's registry, `ldd`, `tar`
 * and a static busybox.
 * @returns the folder; the caller removes it
 */
export function lambdaImageRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'denorm-lambda-image-'));
  const within = (path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  const node = findNode();
  if (node === undefined) throw new Error('Expected a Node 24: run `npm ci` with optional dependencies');
  copyFileSync(node, within('var/lang/bin/node'));
  for (const [library] of execFileSync('ldd', [node], { encoding: 'utf8' }).matchAll(/\/\S+/g))
    copyFileSync(library, within(library));
  copyFileSync('/bin/busybox', within('bin/busybox'));
  for (const name of ['sh', 'mv', 'cp', 'chmod', 'rm', 'mkdir', 'cat', 'ls'])
    symlinkSync('busybox', within(`bin/${name}`));
  for (const name of ['tmp', 'opt', 'var/task']) mkdirSync(within(name), { recursive: true });
  unpackRuntime(join(root, 'var/runtime'));
  writeFileSync(
    within('var/runtime/bootstrap'),
    '#!/bin/sh\nexec /var/lang/bin/node /var/runtime/index.mjs "$_HANDLER"\n',
  );
  chmodSync(within('var/runtime/bootstrap'), 0o755);
  return root;
}

/** Puts AWS's runtime client, `index.mjs`, into a folder, with what it needs. */
function unpackRuntime(folder: string): void {
  mkdirSync(folder, { recursive: true });
  unpackRuntimeClient(join(folder, 'index.mjs'));
  // Its transport is an addon around curl, which would take a compiler and a minute.
  cpSync(
    fileURLToPath(new URL('./runtime-transport.cjs', import.meta.url)),
    join(folder, 'rapid-client.node/index.js'),
  );
}

/** Puts AWS's runtime client into a file, once it is what the integrity says. */
function unpackRuntimeClient(file: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'denorm-runtime-client-'));
  try {
    const pack = ['pack', '--silent', '--pack-destination', folder, runtimeClient.package];
    const [packed = ''] = execFileSync('npm', pack, { encoding: 'utf8', cwd: folder }).split('\n');
    const tarball = join(folder, packed);
    const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    if (integrity !== runtimeClient.integrity)
      throw new Error(`Expected ${runtimeClient.package} to be ${runtimeClient.integrity}, got ${integrity}`);
    execFileSync('tar', ['-xzf', tarball, '-C', folder, 'package/index.mjs']);
    copyFileSync(join(folder, 'package/index.mjs'), file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes the image in the engine that DOCKER_HOST names. */
export function importImage(root: string, env: NodeJS.ProcessEnv): Promise<void> {
  const changes = [
    'ENV LAMBDA_TASK_ROOT=/var/task LAMBDA_RUNTIME_DIR=/var/runtime TZ=:UTC',
    'WORKDIR /var/task',
  ];
  const tar = spawn('tar', ['-c', '-C', root, '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const docker = spawn(
    'docker',
    ['import', ...changes.flatMap((change) => ['--change', change]), '-', imageName],
    { stdio: [tar.stdout, 'ignore', 'inherit'], env },
  );
  return new Promise((resolve, reject) => {
    docker.on('error', reject);
    docker.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`Expected \`docker import\` to succeed, got ${code}`)),
    );
  });
}
