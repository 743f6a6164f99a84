#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode } from './run-node.mjs';

/** @param {string} path */
const inPackage = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

// The published package has no sources: Node runs no TypeScript below node_modules. Through a link to a checkout it has
// some: this URL is the link's target.
const source = inPackage('src/cli/main.ts');
const inCheckout = existsSync(source);

// A scan makes much garbage, of which V8 would let 320 MB stand (Node 24, `denorm verify` of 50,000 items). With these it needs
// 160 MB and no more CPU. Looking at old objects when they have grown by 30 % instead of double saves 25 MB and costs a third more CPU.
const smallHeap = ['--max-semi-space-size=4', '--heap-growing-percent=100'];

const problem = inCheckout ? sourcesInPackages() : nodeWithoutTypeScript();
if (problem !== undefined) {
  console.error(problem);
  process.exitCode = 2;
} else {
  const env = {
    // Compiled once, a command starts in half the time. Node does without where it cannot write there.
    NODE_COMPILE_CACHE: cacheFolder(),
    // In each arena, glibc keeps what other threads have freed: 20 MB of `denorm dlq list` of 50,000 dead letters.
    MALLOC_ARENA_MAX: '1',
    ...process.env,
    // A launcher killed outright passes no signal on: the CLI watches this process, and ends when it is gone.
    DENORM_PARENT_PID: String(process.pid),
  };
  const args = [...smallHeap, inCheckout ? source : inPackage('dist/cli/main.js'), ...process.argv.slice(2)];
  process.exitCode = inCheckout
    ? await (await import('./node-24.mjs')).runNode24(args, env)
    : await runNode(process.execPath, args, env);
}

function sourcesInPackages() {
  if (!source.includes(`${sep}node_modules${sep}`)) return undefined;
  return (
    `Expected a checkout of the repository or the published package, got sources in node_modules, ${source}: install the ` +
    'package from the registry or from the file that `npm pack` made.'
  );
}

function nodeWithoutTypeScript() {
  if (process.features.typescript) return undefined;
  return (
    `Expected a Node that strips the types of a project's TypeScript (22.18 or newer), got ${process.versions.node}: install ` +
    'Node 24 from https://nodejs.org.'
  );
}

/** In the nearest node_modules: of the project that has installed this package, or of the checkout. */
function cacheFolder() {
  const folder = inPackage('');
  const installed = folder.lastIndexOf(`${sep}node_modules${sep}`);
  const packages =
    installed === -1 ? inPackage('node_modules') : folder.slice(0, installed + '/node_modules'.length);
  return `${packages}${sep}.cache${sep}denorm`;
}
