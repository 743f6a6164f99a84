#!/usr/bin/env node
// Runs a script under Node 24 or newer, whatever Node started this file: Lambda's runtime is Node 24, and
// only from there on does Node run the project's TypeScript as it is. This file itself has to run on Node 20.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

const wanted = 24;
const require = createRequire(import.meta.url);

// In the repository, `stream-denormalizer` is its sources; an installed package has only what was compiled from them.
const source = '--conditions=stream-denormalizer-source';
const inRepository = existsSync(new URL('../src/index.ts', import.meta.url));

/** @typedef {{ path: string, version: string }} Node */

/**
 * The Node to use: the current one where it is new enough, else the one that npm installed for this platform
 * as an optional dependency. `undefined` where there is neither.
 * @returns {Node | undefined}
 */
export function findNode() {
  const current = { path: process.execPath, version: process.versions.node };
  return part(current.version, 0) >= wanted ? current : installedNode();
}

/**
 * Runs `args` under the Node that `findNode` finds, with this process's stdio. Passes SIGINT, SIGTERM and
 * SIGHUP on, because a signal sent to this process alone would not reach it; after a Ctrl-C it therefore gets
 * SIGINT twice, from the terminal and from here.
 * Resolves to the code to exit with: the child's own, 128 + the number of the signal that ended it, or 2 where
 * it could not be started (said on stderr).
 * @param {string[]} args script and its arguments
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<number>}
 */
export function runUnderNode(args, env = process.env) {
  const node = findNode();
  if (node === undefined) {
    console.error(
      `Expected Node ${wanted} or newer, got ${process.versions.node} and no ${packageNames().join(' or ')} beside it: ` +
        `run \`npm install\` with optional dependencies, or install Node ${wanted}.`,
    );
    return Promise.resolve(2);
  }
  return new Promise((done) => {
    const child = spawn(node.path, [...quietFlags(node), ...args], {
      stdio: 'inherit',
      env: environmentUnder(node.path, env),
    });
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, () => child.kill(signal));
    if (process.env['npm_command'] !== undefined) endWithParent(child);
    child.on('error', (error) => {
      console.error(
        `Expected ${node.path} to start, got: ${error.message}. Install Node ${wanted} or newer.`,
      );
      done(2);
    });
    child.on('exit', (code, signal) => done(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
  });
}

/**
 * The environment of a script that runs under a Node, and of what it starts: MiniStack runs functions with the `node` of PATH,
 * which may be too old for them.
 * @param {string} node
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentUnder(node, env) {
  return {
    ...env,
    // In NODE_OPTIONS, so that processes further down find the sources too.
    ...(inRepository && { NODE_OPTIONS: [env['NODE_OPTIONS'], source].filter(Boolean).join(' ') }),
    ...(node !== process.execPath && {
      PATH: [dirname(node), env['PATH'] ?? process.env['PATH']].join(delimiter),
    }),
  };
}

/**
 * Ends the child when the process that started this one is gone. For npx and npm only: a SIGTERM ends those, and reaches
 * nothing below them. Whoever starts a command from a shell in the background means it to outlive that shell. So does nohup,
 * of which npx and npm die all the same, because Node forgets that SIGHUP is ignored.
 * @param {import('node:child_process').ChildProcess} child
 */
function endWithParent(child) {
  const parent = process.ppid;
  let hungUp = false;
  process.on('SIGHUP', () => {
    hungUp = ![0, 1, 2].some((descriptor) => isatty(descriptor));
  });
  const timer = setInterval(() => {
    if (hungUp) return clearInterval(timer);
    if (process.ppid === parent) return;
    // Once: the child ends cleanly, and a second signal would hurry it.
    clearInterval(timer);
    child.kill('SIGTERM');
  }, 500);
  timer.unref();
}

/** @returns {Node | undefined} */
function installedNode() {
  for (const name of packageNames()) {
    try {
      const manifest = require.resolve(`${name}/package.json`);
      const path = join(dirname(manifest), 'bin', 'node');
      if (existsSync(path)) return { path, version: readJson(manifest).version };
    } catch {
      // Not installed: npm skips an optional dependency for another platform, or on --omit=optional.
    }
  }
  return undefined;
}

/** Two names, as Node 24 for Apple silicon is published under the second. */
function packageNames() {
  const platform = `${process.platform}-${process.arch}`;
  return [`node-${platform}`, `node-bin-${platform}`];
}

/**
 * Node 24.0 to 24.2 print an ExperimentalWarning on stderr for each start of a TypeScript file; later ones don't.
 * @param {Node} node
 */
function quietFlags({ version }) {
  return part(version, 0) === 24 && part(version, 1) < 3 ? ['--disable-warning=ExperimentalWarning'] : [];
}

/**
 * @param {string} version
 * @param {number} index
 */
function part(version, index) {
  return Number(version.split('.')[index]);
}

/**
 * The file to run: `script` is a path, or else the name of an installed package whose bin is meant.
 * @param {string} script
 * @returns {string | undefined}
 */
function scriptPath(script) {
  if (existsSync(script)) return resolve(script);
  try {
    const manifest = require.resolve(`${script}/package.json`);
    const { bin } = readJson(manifest);
    return join(dirname(manifest), typeof bin === 'string' ? bin : bin[script]);
  } catch {
    return undefined;
  }
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [script = '', ...args] = process.argv.slice(2);
  const path = scriptPath(script);
  if (path === undefined) {
    console.error(`Expected a script or an installed package with a bin, got "${script}".`);
    process.exitCode = 2;
  } else {
    process.exitCode = await runUnderNode([path, ...args]);
  }
}
