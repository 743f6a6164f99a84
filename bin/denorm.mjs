#!/usr/bin/env node
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runUnderNode } from './node-24.mjs';

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

// Node runs no TypeScript below node_modules. A link to a checkout is fine: this URL is the link's target.
if (main.includes(`${sep}node_modules${sep}`)) {
  console.error(
    `Expected a checkout of the repository, got an installed copy, ${main}: clone it and run it there.`,
  );
  process.exitCode = 2;
} else {
  const env = {
    // Compiled once, a command starts in half the time. Node does without where it cannot write there.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/denorm', import.meta.url)),
    ...process.env,
    // A launcher killed outright passes no signal on: the CLI watches this process, and ends when it is gone.
    DENORM_PARENT_PID: String(process.pid),
  };
  process.exitCode = await runUnderNode([main, ...process.argv.slice(2)], env);
}
