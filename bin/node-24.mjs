#!/usr/bin/env node
// For this repository, not published: runs a script under Node 24 or newer, which Lambda has, whatever Node started this file.
// This file itself has to run on Node 20.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode } from './run-node.mjs';

const wanted = 24;
const require = createRequire(import.meta.url);

/**
 * The Node to use: the current one where it is new enough, else the one that `npm ci` installed for this platform.
 * `undefined` where there is neither.
 * @returns {string | undefined}
 */
export function findNode() {
  return Number.parseInt(process.versions.node, 10) >= wanted ? process.execPath : installedNode();
}

/**
 * `runNode` under the Node that `findNode` finds; 2 where there is none (said on stderr).
 * @param {string[]} args script and its arguments
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<number>}
 */
export async function runNode24(args, env = process.env) {
  const node = findNode();
  if (node !== undefined) return runNode(node, args, environmentUnder(node, env));
  console.error(
    `Expected Node ${wanted} or newer, got ${process.versions.node} and no ${packageNames().join(' or ')} in node_modules: ` +
      `run \`npm ci\` with optional dependencies, or install Node ${wanted}.`,
  );
  return 2;
}

/**
 * The environment of a script that runs under a Node, and of what it starts: `stream-denormalizer` is this repository's sources,
 * and MiniStack runs functions with the `node` of PATH, which may be too old for them.
 * @param {string} node
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentUnder(node, env) {
  return {
    ...env,
    // In NODE_OPTIONS, so that processes further down find the sources too.
    NODE_OPTIONS: [env['NODE_OPTIONS'], '--conditions=stream-denormalizer-source'].filter(Boolean).join(' '),
    ...(node !== process.execPath && {
      PATH: [dirname(node), env['PATH'] ?? process.env['PATH']].join(delimiter),
    }),
  };
}

/** @returns {string | undefined} */
function installedNode() {
  return packageNames()
    .map((name) => join(packageFolder(name) ?? name, 'bin', 'node'))
    .find((path) => existsSync(path));
}

/** Two names, as Node 24 for Apple silicon is published under the second. */
function packageNames() {
  const platform = `${process.platform}-${process.arch}`;
  return [`node-${platform}`, `node-bin-${platform}`];
}

/**
 * The file to run: `script` is a path, or else the name of an installed package whose bin is meant.
 * @param {string} script
 * @returns {string | undefined}
 */
function scriptPath(script) {
  if (existsSync(script)) return resolve(script);
  const folder = packageFolder(script);
  if (folder === undefined) return undefined;
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[script]);
}

/**
 * `undefined` if it is not installed: npm skips an optional dependency for another platform, or on --omit=optional.
 * @param {string} name
 */
function packageFolder(name) {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [script = '', ...args] = process.argv.slice(2);
  const path = scriptPath(script);
  if (path === undefined)
    console.error(`Expected a script or an installed package with a bin, got "${script}".`);
  process.exitCode = path === undefined ? 2 : await runNode24([path, ...args]);
}
